import { invalidArgument } from "./errors.js";

const FORBIDDEN = /[\p{Cc}\p{White_Space}.*>#/\\]/u;

/** Throws unless `topic` is a topic to which one can publish. */
export function checkTopic(topic: string): void {
  if (!isLevels(topic, () => false)) {
    throw invalidArgument("topic", 'a topic such as "stocks.7"', topic);
  }
}

/** Throws unless `topic` is a topic or a pattern. */
export function checkTopicOrPattern(topic: string): void {
  const wildcard = (level: string, last: boolean): boolean =>
    level === "*" || (level === ">" && last);
  if (!isLevels(topic, wildcard)) {
    throw invalidArgument("topic", 'a topic or pattern such as "stocks.7" or "stocks.>"', topic);
  }
}

function isLevels(topic: unknown, wildcard: (level: string, last: boolean) => boolean): boolean {
  if (typeof topic !== "string") return false;
  const levels = topic.split(".");
  return levels.every(
    (level, i) =>
      wildcard(level, i === levels.length - 1) || (level !== "" && !FORBIDDEN.test(level)),
  );
}
