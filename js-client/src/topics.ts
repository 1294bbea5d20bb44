import { check } from "./arguments.js";

const LEVEL = String.raw`[^\p{Cc}\p{White_Space}.*>#/\\]+`;
const PATTERN = new RegExp(`^((${LEVEL}|\\*)\\.)*(${LEVEL}|[*>])$`, "u");

/** Throws unless `topic` is a valid topic or pattern. */
export function checkTopicOrPattern(topic: unknown): void {
  const expected = 'a topic or pattern such as "stocks.7" or "stocks.>"';
  check(isTopicOrPattern(topic), "topic", expected, topic);
}

/** Returns whether this is a valid topic or pattern. */
export function isTopicOrPattern(topic: unknown): topic is string {
  return typeof topic === "string" && PATTERN.test(topic);
}
