import type { Payload, PayloadKind, Properties } from "../engine/message.js";
import type { Destination, PublishOptions, PublishPayload } from "../engine/publish-options.js";
import type { DefaultPayloadAs, PayloadAs, TypedPayload } from "../engine/topic-map.js";

/** Metadata of a message of a queue, or of a durable or shared subscription. */
export interface QueueEnvelope {
  /** Name of the queue; undefined for a message of a subscription. */
  readonly queue: string | undefined;
  /** Concrete topic of a message of a subscription; undefined for a queue. */
  readonly topic: string | undefined;
  /** Identity of the message, 16 hexadecimal digits; the same on every node. */
  readonly id: string;
  /** Time at which the broker accepted the message, in milliseconds since 1970. */
  readonly time: number;
  /**
   * True if the broker has delivered the message before. `"unknown"` if it may have, without
   * counting it. False is certain.
   */
  readonly redelivered: boolean | "unknown";
  /** JMSType of the message. */
  readonly messageType: string | undefined;
  /** JMSCorrelationID of the message. */
  readonly correlationId: string | undefined;
  /** JMSReplyTo of the message. */
  readonly replyTo: Destination | undefined;
  /** JMSXGroupID of the message. */
  readonly group: string | undefined;
  /** JMS properties; empty if there are none. */
  readonly properties: Properties;
}

/** Message of a queue. `kind` determines the type of `payload`. */
export type QueueMessage<Kind extends PayloadKind = PayloadKind> = Payload<Kind> & QueueEnvelope;

/** Options of a settlement. */
export interface SettleOptions {
  /** Settles all pending messages of the consumer up to this one; default false. */
  readonly upTo?: boolean;
}

/** Options of a reply. All of them are optional. */
export type RespondOptions = Omit<PublishOptions, "id" | "replyTo" | "correlationId">;

/**
 * Functions of a delivered message; each message is settled once.
 *
 * Each function returns a promise that resolves when the broker has stored the settlement. It
 * rejects with `not-pending` if the message is not pending any more: it was settled before, or the
 * node has taken it back, or its connection has ended. The broker then delivers it again, unless it
 * was settled. It rejects with `connection-lost` if the connection ended before the answer.
 */
export interface Settling {
  /** Aborted when the message is not pending any more, although it was not settled. */
  readonly signal: AbortSignal;
  /** Acknowledges the message: the broker removes it. */
  readonly ack: (options?: SettleOptions) => Promise<void>;
  /**
   * Returns the message to the queue. It is delivered again, to any consumer, until the broker's
   * maximum of attempts is reached.
   */
  readonly release: (options?: SettleOptions) => Promise<void>;
  /** Moves the message to the dead-letter queue. */
  readonly reject: (options?: SettleOptions) => Promise<void>;
  /**
   * Publishes a reply to the `replyTo` of the message, with its correlation id. The message remains
   * pending. The promise rejects with `no-recipient` if the message requests no reply.
   */
  readonly respond: (payload: PublishPayload, options?: RespondOptions) => Promise<void>;
}

/** Message delivered to a consumer. */
export type Delivery<Kind extends PayloadKind = PayloadKind> = QueueMessage<Kind> & Settling;

/** Delivered message with a payload of a known type. */
export type TypedDelivery<Value> = TypedPayload<Value> & QueueEnvelope & Settling;

/** Handler of messages with payloads of a known type. */
export type TypedDeliveryHandler<Value> = (delivery: TypedDelivery<Value>) => unknown;

/** Message delivered to a consumer, with the type of a topic map. */
export type DeliveryAs<Mapped, Kind extends PayloadKind> = PayloadAs<Mapped, Kind> &
  QueueEnvelope &
  Settling;

/** Message delivered to a consumer without the option `payload`. */
export type DefaultDeliveryAs<Mapped> = DefaultPayloadAs<Mapped> & QueueEnvelope & Settling;

/**
 * Handler of the messages of a queue. The message is acknowledged when the returned promise
 * resolves, and released when it rejects.
 */
export type DeliveryHandler<Kind extends PayloadKind = PayloadKind> = (
  delivery: Delivery<Kind>,
) => unknown;
