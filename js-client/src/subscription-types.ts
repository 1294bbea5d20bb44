import type { PayloadKind } from "./message.js";
import type { ConsumeOptions, Consumer } from "./consumer-types.js";
import type { DefaultDeliveryAs, DeliveryAs, TypedDeliveryHandler } from "./delivery-types.js";
import type { RequestHandler, ServeOptions } from "./request-types.js";
import type { StandardSchema } from "./standard-schema.js";
import type { KindOf } from "./topic-map.js";

/**
 * Shared subscription of a topic or pattern, as returned by `client.shared`. Its consumers, at all
 * nodes, share the messages as those of a queue. It exists while it has a consumer.
 */
export interface SharedSubscription<Mapped = []> {
  /** Topic or pattern. */
  readonly topic: string;
  /** Name, which is unique for the principal and the topic. */
  readonly name: string;
  /**
   * Consumes the messages of the subscription. The first consumer creates it, with the option
   * `where` as a part of it. For the guarantees, see `consume` of a queue.
   *
   * @returns a promise of the consumer, which resolves when its code is loaded, also without a
   *   connection; it rejects if an argument is invalid, or the client is closed
   */
  consume<Output>(
    handler: TypedDeliveryHandler<Output>,
    options: ConsumeOptions & { readonly schema: StandardSchema<Output> },
  ): Promise<Consumer>;
  /** Consumes with payloads of one kind. */
  consume<Kind extends PayloadKind>(
    handler: (delivery: DeliveryAs<Mapped, Kind>) => unknown,
    options: ConsumeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Consumes with payloads of a type that the publisher guarantees. */
  consume<Value>(
    handler: TypedDeliveryHandler<Value>,
    options: ConsumeOptions & { readonly payload: KindOf<Value> },
  ): Promise<Consumer>;
  /** Consumes with payloads of the kind that was published. */
  consume(
    handler: (delivery: DefaultDeliveryAs<Mapped>) => unknown,
    options?: ConsumeOptions,
  ): Promise<Consumer>;
  /** Consumes requests and replies to each with the result of the handler. */
  serve<Kind extends PayloadKind>(
    handler: RequestHandler<Kind>,
    options: ServeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Serves requests with payloads of the kind that was published. */
  serve(handler: RequestHandler, options?: ServeOptions): Promise<Consumer>;
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
