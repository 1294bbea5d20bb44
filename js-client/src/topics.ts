import { check } from "./arguments.js";

const LEVEL = String.raw`[^\p{Cc}\p{White_Space}.*>#/\\]+`;
const TOPIC = new RegExp(`^${LEVEL}(\\.${LEVEL})*$`, "u");
const PATTERN = new RegExp(`^((${LEVEL}|\\*)\\.)*(${LEVEL}|[*>])$`, "u");

/** Throws unless `topic` is a valid topic for publishing. */
export function checkTopic(topic: unknown): void {
  checkName(TOPIC, 'a topic such as "stocks.7"', topic);
}

/** Throws unless `topic` is a valid topic or pattern. */
export function checkTopicOrPattern(topic: unknown): void {
  checkName(PATTERN, 'a topic or pattern such as "stocks.7" or "stocks.>"', topic);
}

function checkName(rule: RegExp, expected: string, topic: unknown): void {
  check(typeof topic === "string" && rule.test(topic), "topic", expected, topic);
}
