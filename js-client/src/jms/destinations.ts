import type { Destination as SluiceDestination } from "../index.js";
import { InvalidDestinationException } from "./exceptions.js";

/** Topic of the broker; for consumers also a pattern such as `stocks.*`. */
export class Topic {
  readonly #name: string;

  /** Creates the topic with this name. */
  constructor(name: string) {
    this.#name = checkName("topic", name);
  }

  /** Returns the name of the topic. */
  getTopicName(): string {
    return this.#name;
  }

  /** Returns the name of the topic. */
  toString(): string {
    return this.#name;
  }
}

/** Queue of the broker. */
export class Queue {
  readonly #name: string;

  /** Creates the queue with this name. */
  constructor(name: string) {
    this.#name = checkName("queue", name);
  }

  /** Returns the name of the queue. */
  getQueueName(): string {
    return this.#name;
  }

  /** Returns the name of the queue. */
  toString(): string {
    return this.#name;
  }
}

/** Topic or queue. */
export type Destination = Topic | Queue;

/** Returns the destination as the SDK represents it. */
export function toSluiceDestination(destination: Destination): SluiceDestination {
  if (destination instanceof Topic) return { topic: destination.getTopicName() };
  if (destination instanceof Queue) return { queue: destination.getQueueName() };
  throw new InvalidDestinationException("the destination must be a Topic or a Queue");
}

/** Returns the Topic or Queue of a destination of the SDK. */
export function fromSluiceDestination({ topic, queue }: SluiceDestination): Destination {
  return topic === undefined ? new Queue(queue) : new Topic(topic);
}

function checkName(kind: string, name: unknown): string {
  if (typeof name === "string" && name.trim() !== "") return name;
  throw new InvalidDestinationException(`the name of a ${kind} must be a string, not empty`);
}
