import type { QueueMessage } from "./delivery-types.js";
import type { PayloadKind } from "../engine/message.js";
import type { MessageSource } from "./message-source.js";
import type { PublishOptions, PublishPayload } from "../engine/publish-options.js";
import type { Reply, RequestOptions, TypedReply } from "./request-types.js";
import type { KindOf } from "../engine/topic-map.js";

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
  /** Number of messages that the node cannot deliver, such as those above its size limit. */
  readonly skipped: number;
}

/** Queue of the broker, as returned by `client.queue`. */
export interface Queue extends MessageSource {
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
