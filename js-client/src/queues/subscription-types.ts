import type { MessageSource } from "./message-source.js";

/**
 * Shared subscription of a topic or pattern, as returned by `client.shared`. Its consumers, at all
 * nodes, share the messages as those of a queue. The first one creates it, with the option `where` as
 * a part of it. It exists while it has a consumer.
 */
export interface SharedSubscription<Mapped = []> extends MessageSource<Mapped> {
  /** Topic or pattern. */
  readonly topic: string;
  /** Name, which is unique for the principal and the topic. */
  readonly name: string;
}

/**
 * Durable subscription of a topic or pattern, as returned by `client.durable`. The broker retains
 * its messages while no client consumes, from the first consumer until it is deleted.
 */
export interface DurableSubscription<Mapped = []> extends SharedSubscription<Mapped> {
  /**
   * Removes the subscription with its messages.
   *
   * @returns a promise that resolves when it is removed; it rejects with `unknown-subscription` if
   *   there is none, and with `subscription-in-use` while it has consumers
   */
  delete(): Promise<void>;
}

/** Result of `client.durables`. */
export interface DurableList extends ReadonlyArray<DurableInfo> {
  /** True if there are further subscriptions, because the node limits the size of its answer. */
  readonly more: boolean;
}

/** Durable subscription in the result of `client.durables`. */
export interface DurableInfo {
  /** Topic or pattern. */
  readonly topic: string;
  /** Name of the subscription. */
  readonly name: string;
  /** Its selector; undefined if there is none. */
  readonly where: string | undefined;
  /** Messages at the broker, including pending ones; undefined if the broker does not report it. */
  readonly messages: number | undefined;
  /** Consumers at all nodes; undefined if the broker does not report it. */
  readonly consumers: number | undefined;
}
