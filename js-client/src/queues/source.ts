import { check, checkTopicOrPattern } from "../engine/arguments.js";
import { checkQueue } from "../engine/publish-options.js";

/** Source of a consumer: a queue, or a durable or shared subscription of a topic or pattern. */
export interface Source {
  readonly queue?: string | undefined;
  readonly topic?: string | undefined;
  /** Name of the durable subscription. */
  readonly durable?: string | undefined;
  /** Name of the shared subscription. */
  readonly shared?: string | undefined;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Throws unless the names of the source are valid. */
export function checkSource({ queue, topic, durable, shared }: Source): void {
  if (topic === undefined) {
    checkQueue(queue);
    return;
  }
  checkTopicOrPattern(topic);
  const name: unknown = durable ?? shared;
  const isName = typeof name === "string" && NAME.test(name);
  check(isName, "name", 'a name of 1 to 64 letters, digits, "-" and "_"', name);
}

/** Returns the name of the source for error messages. */
export function nameOf({ queue, topic }: Source): string {
  return queue ?? topic ?? "";
}

/** Returns the feature of a node that a consumer of the source requires. */
export function featureOf({ durable, shared }: Source): string {
  if (durable !== undefined) return "durable";
  return shared === undefined ? "queues" : "shared";
}
