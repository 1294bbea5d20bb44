import type { ConsumeOptions, Consumer } from "./consumer-types.js";
import type { DeliveryHandler, QueueMessage, TypedDeliveryHandler } from "./delivery-types.js";
import type { PayloadKind } from "./message.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import type {
  Reply,
  RequestHandler,
  RequestOptions,
  ServeOptions,
  TypedReply,
} from "./request-types.js";
import type { StandardSchema } from "./standard-schema.js";
import type { KindOf } from "./topic-map.js";

/** Options of `browse`. All of them are optional. */
export interface BrowseOptions {
  /** Maximum number of messages, 1 to the limit of the node; default 100. */
  readonly max?: number;
  /** JMS selector: only matching messages are returned. */
  readonly where?: string;
  /** Kind to which payloads are converted. */
  readonly payload?: PayloadKind;
}

/** Result of `browse`. */
export interface BrowseResult<Kind extends PayloadKind = PayloadKind> {
  /** First messages of the queue; they remain there. */
  readonly messages: readonly QueueMessage<Kind>[];
  /** True if the queue has further messages. */
  readonly more: boolean;
}

/** Queue of the broker, as returned by `client.queue`. */
export interface Queue {
  /** Name of the queue. */
  readonly name: string;
  /**
   * Sends a message to the queue; otherwise like `publish` of the client.
   *
   * @returns a promise that resolves when the broker has stored the message
   */
  publish(payload: PublishPayload, options?: PublishOptions): Promise<void>;
  /** Sends a request to the queue; otherwise like `request` of the client. */
  request<Kind extends PayloadKind>(
    payload: PublishPayload,
    options: RequestOptions & { readonly reply: Kind },
  ): Promise<Reply<Kind>>;
  /** Sends a request; the reply has a type that the server guarantees. */
  request<Value>(
    payload: PublishPayload,
    options: RequestOptions & { readonly reply: KindOf<Value> },
  ): Promise<TypedReply<Value>>;
  /** Sends a request; the reply has the kind that was published. */
  request(payload: PublishPayload, options?: RequestOptions): Promise<Reply>;
  /**
   * Consumes the messages of the queue, in competition with its other consumers. A message that was
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
    handler: DeliveryHandler<Kind>,
    options: ConsumeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Consumes with payloads of a type that the producer guarantees. */
  consume<Value>(
    handler: TypedDeliveryHandler<Value>,
    options: ConsumeOptions & { readonly payload: KindOf<Value> },
  ): Promise<Consumer>;
  /** Consumes with payloads of the kind that was published. */
  consume(handler: DeliveryHandler, options?: ConsumeOptions): Promise<Consumer>;
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
  /**
   * Reads the first messages of the queue without removing them.
   *
   * @returns a promise of the messages; it rejects with `connection-lost` without a connection
   */
  browse<Kind extends PayloadKind>(
    options: BrowseOptions & { readonly payload: Kind },
  ): Promise<BrowseResult<Kind>>;
  /** Reads the messages with payloads of the kind that was published. */
  browse(options?: BrowseOptions): Promise<BrowseResult>;
}
