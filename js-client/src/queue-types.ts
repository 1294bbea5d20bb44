/// <reference lib="esnext.disposable" preserve="true" />
import type { SluiceError } from "./errors.js";
import type { Payload, PayloadKind, Properties } from "./message.js";
import type { Destination, PublishOptions, PublishPayload } from "./publish-options.js";

/** Metadata of a message of a queue. */
export interface QueueEnvelope {
  /** Name of the queue. */
  readonly queue: string;
  /** Identity of the message, 16 hexadecimal digits; the same on every node. */
  readonly id: string;
  /** Time at which the broker accepted the message, in milliseconds since 1970. */
  readonly time: number;
  /** True if the message may have been delivered before. */
  readonly redelivered: boolean;
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
}

/** Message delivered to a consumer. */
export type Delivery<Kind extends PayloadKind = PayloadKind> = QueueMessage<Kind> & Settling;

/**
 * Handler of the messages of a queue. The message is acknowledged when the returned promise
 * resolves, and released when it rejects.
 */
export type DeliveryHandler<Kind extends PayloadKind = PayloadKind> = (
  delivery: Delivery<Kind>,
) => unknown;

/** State of a consumer, discriminated by `status`. */
export type ConsumerState =
  | {
      /** There is no connection, or the node has not answered yet. */
      readonly status: "pending";
    }
  | {
      /** The broker's consumer is active. */
      readonly status: "consuming";
    }
  | {
      /** The node has refused the consumer. It is requested again at the next connection. */
      readonly status: "refused";
      /** Reason of the refusal. */
      readonly error: SluiceError;
    }
  | {
      /** The consumer has ended: it was closed, or its client. */
      readonly status: "closed";
    };

/** Options of `consume`. All of them are optional. */
export interface ConsumeOptions {
  /**
   * Maximum number of messages that are delivered and not settled; also of handlers that run at the
   * same time. Default 1: one message after the other. With 0 the consumer is paused.
   */
  readonly credit?: number;
  /**
   * `auto`, the default, settles each message by the outcome of its handler unless the handler has
   * settled it. With `manual` the application settles every message, also after the handler.
   */
  readonly ack?: "auto" | "manual";
  /** JMS selector: only matching messages are delivered. */
  readonly where?: string;
  /** Kind to which payloads are converted. A message that cannot be converted is released. */
  readonly payload?: PayloadKind;
  /**
   * Called when the node refuses the consumer, a handler has failed (`handler-failed`), a payload
   * cannot be converted (`bad-payload`), or an automatic settlement has failed, for example with
   * `not-pending`. Without this callback the client's `error` event reports it.
   */
  readonly onError?: (error: SluiceError) => void;
  /** Called when the state of the consumer has changed. */
  readonly onState?: (state: ConsumerState) => void;
  /** Closes the consumer when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Consumer of a queue. It survives reconnects until it is closed. */
export interface Consumer {
  /** Current state; `onState` of the options reports each change. */
  readonly state: ConsumerState;
  /**
   * Changes the credit; 0 pauses the consumer.
   *
   * @throws SluiceError `invalid-argument`
   */
  setCredit(credit: number): void;
  /**
   * Ends the consumer. New messages are not delivered any more. Running handlers are completed and
   * their messages settled; all others return to the queue.
   *
   * @returns a promise that resolves when the consumer has ended
   */
  close(): Promise<void>;
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

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
  /**
   * Consumes the messages of the queue, in competition with its other consumers. A message that was
   * delivered and not settled when the connection ends is delivered again, to any consumer, with
   * `redelivered`. Refusals by the node are reported to `onError`.
   *
   * @returns a promise of the consumer, which resolves when its code is loaded, also without a
   *   connection; it rejects if an argument is invalid, or the client is closed
   */
  consume<Kind extends PayloadKind>(
    handler: DeliveryHandler<Kind>,
    options: ConsumeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Consumes with payloads of the kind that was published. */
  consume(handler: DeliveryHandler, options?: ConsumeOptions): Promise<Consumer>;
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
