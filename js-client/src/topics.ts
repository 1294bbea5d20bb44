import { check } from "./arguments.js";

const LEVEL = String.raw`[^\p{Cc}\p{White_Space}.*>#/\\]+`;
const TOPIC = new RegExp(`^${LEVEL}(\\.${LEVEL})*$`, "u");
const PATTERN = new RegExp(`^((${LEVEL}|\\*)\\.)*(${LEVEL}|[*>])$`, "u");

/** Throws unless `topic` is a topic to which one can publish. */
export function checkTopic(topic: unknown): void {
  checkName(TOPIC, 'a topic such as "stocks.7"', topic);
}

/** Throws unless `topic` is a topic or a pattern. */
export function checkTopicOrPattern(topic: unknown): void {
  checkName(PATTERN, 'a topic or pattern such as "stocks.7" or "stocks.>"', topic);
}

function checkName(rule: RegExp, expected: string, topic: unknown): void {
  check(typeof topic === "string" && rule.test(topic), "topic", expected, topic);
}
