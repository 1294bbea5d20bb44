import type { ConsumeOptions, Consumer } from "./consumer-types.js";
import type { DefaultDeliveryAs, DeliveryAs, TypedDeliveryHandler } from "./delivery-types.js";
import type { PayloadKind } from "../engine/message.js";
import type { RequestHandler, ServeOptions } from "./request-types.js";
import type { StandardSchema } from "../engine/standard-schema.js";
import type { KindOf } from "../engine/topic-map.js";

/** Queue, or durable or shared subscription, whose messages can be consumed. */
export interface MessageSource<Mapped = []> {
  /**
   * Consumes the messages, in competition with other consumers. A message that was
   * delivered and not settled when the connection ends is delivered again, to any consumer, with
   * `redelivered`. Refusals by the node are reported to `onError`.
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
  /** Consumes with payloads of a type that the producer guarantees. */
  consume<Value>(
    handler: TypedDeliveryHandler<Value>,
    options: ConsumeOptions & { readonly payload: KindOf<Value> },
  ): Promise<Consumer>;
  /** Consumes with payloads of the kind that was published. */
  consume(
    handler: (delivery: DefaultDeliveryAs<Mapped>) => unknown,
    options?: ConsumeOptions,
  ): Promise<Consumer>;
  /**
   * Consumes requests and replies to each with the result of the handler. The message is
   * acknowledged when the node has accepted the reply.
   */
  serve<Kind extends PayloadKind>(
    handler: RequestHandler<Kind>,
    options: ServeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Serves requests with payloads of the kind that was published. */
  serve(handler: RequestHandler, options?: ServeOptions): Promise<Consumer>;
}
