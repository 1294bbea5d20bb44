import type { Limits } from "../engine/frames.js";
import { checkTopicOrPattern } from "../engine/arguments.js";
import { FrameError } from "./frame-error.js";

/** Returns whether a topic or pattern covers everything that the other one matches. */
export function covers(pattern: string, topic: string): boolean {
  const levels = topic.split(".");
  const expected = pattern.split(".");
  for (const [at, level] of expected.entries()) {
    const actual = levels[at];
    if (actual === undefined) return false;
    if (level === ">") return true;
    if (level === "*" ? actual === ">" : level !== actual) return false;
  }
  return levels.length === expected.length;
}

/** Throws unless a node with these limits accepts the topic, which is not a pattern. */
export function checkName(topic: string, limits: Limits): void {
  checkTopic(topic, limits);
  if (/[*>]/.test(topic)) throw new FrameError("invalid-topic", `${topic} is a pattern`);
}

/** Throws unless a node with these limits accepts the topic or pattern. */
export function checkTopic(topic: string, limits: Limits): void {
  try {
    checkTopicOrPattern(topic);
  } catch (error) {
    throw new FrameError("invalid-topic", (error as Error).message);
  }
  const { length } = topic;
  if (length > limits.topicLength) {
    const message = `topic has ${String(length)} characters, at most ${String(limits.topicLength)}`;
    throw new FrameError("topic-too-long", message);
  }
  const depth = topic.split(".").length;
  if (depth > limits.topicDepth) {
    const message = `topic has ${String(depth)} levels, at most ${String(limits.topicDepth)}`;
    throw new FrameError("topic-too-deep", message);
  }
}
