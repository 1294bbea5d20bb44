import type { Payload, PayloadKind, Properties } from "../engine/message.js";
import type { PublishOptions, PublishPayload } from "../engine/publish-options.js";
import type { ConsumeOptions } from "./consumer-types.js";
import type { Delivery, RespondOptions } from "./delivery-types.js";
import type { TypedPayload } from "../engine/topic-map.js";

/** Options of `request`. All of them are optional. */
export interface RequestOptions extends Omit<
  PublishOptions,
  "id" | "replyTo" | "correlationId" | "ttl"
> {
  /**
   * Time limit of the reply in milliseconds, including the wait for a connection; default 5,000.
   * The node has a maximum, by default 60,000.
   */
  readonly timeout?: number;
  /** Kind to which the payload of the reply is converted. */
  readonly reply?: PayloadKind;
  /** Rejects the request when it is aborted. The request may be processed nevertheless. */
  readonly signal?: AbortSignal;
}

/** Metadata of a reply. */
export interface ReplyEnvelope {
  /** Identity of the message, 16 hexadecimal digits. */
  readonly id: string;
  /** Time at which the broker accepted the reply, in milliseconds since 1970. */
  readonly time: number;
  /** JMS properties; empty if there are none. */
  readonly properties: Properties;
  /** JMSType of the reply. */
  readonly messageType: string | undefined;
}

/** Reply to a request. `kind` determines the type of `payload`. */
export type Reply<Kind extends PayloadKind = PayloadKind> = Payload<Kind> & ReplyEnvelope;

/** Reply with a payload of a known type. */
export type TypedReply<Value> = TypedPayload<Value> & ReplyEnvelope;

/** Reply with options, as returned by a {@link RequestHandler}. */
export interface ReplyWithOptions {
  /** Content of the reply. */
  readonly payload: PublishPayload;
  /** Options of the reply. */
  readonly options: RespondOptions;
}

/**
 * Handler of requests. It returns the payload of the reply, an object with exactly the members
 * `payload` and `options`, or undefined for no reply. If its promise rejects, the request returns to
 * the queue and is delivered again.
 */
export type RequestHandler<Kind extends PayloadKind = PayloadKind> = (
  request: Delivery<Kind>,
) => RequestResult | Promise<RequestResult>;

/** Result of a {@link RequestHandler}. */
export type RequestResult = PublishPayload | ReplyWithOptions | undefined;

/** Options of `serve`: those of `consume`, except `ack`. */
export type ServeOptions = Omit<ConsumeOptions, "ack">;
