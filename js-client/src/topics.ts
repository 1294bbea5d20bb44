import { check } from "./arguments.js";

/** Regular expression of one level of a topic, for the flag `u`. */
export const LEVEL = String.raw`[^\p{Cc}\p{White_Space}.*>#/\\]+`;
const PATTERN = new RegExp(`^((${LEVEL}|\\*)\\.)*(${LEVEL}|[*>])$`, "u");

/** Throws unless `topic` is a valid topic or pattern. */
export function checkTopicOrPattern(topic: unknown): void {
  const expected = 'a topic or pattern such as "stocks.7" or "stocks.>"';
  check(typeof topic === "string" && PATTERN.test(topic), "topic", expected, topic);
}
