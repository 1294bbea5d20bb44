/// <reference lib="esnext.disposable" preserve="true" />
import type { SluiceError } from "../engine/errors.js";
import type { PayloadKind } from "../engine/message.js";
import type { StandardSchema } from "../engine/standard-schema.js";

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
      /**
       * The node has refused the consumer, or the code for its schema could not be loaded
       * (`not-sent`). It is requested again at the next connection, and with the next credential.
       */
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
   * Schema of the payloads; the handler receives its output. An invalid message is moved to the
   * dead-letter queue, and `onError` receives `invalid-payload`: another delivery would fail again.
   * If the schema throws, the message is released. If the code for schemas cannot be loaded, the
   * consumer is `refused`, and its messages return to the queue.
   */
  readonly schema?: StandardSchema;
  /**
   * Called when the node refuses the consumer, or a handler has failed (`handler-failed`). Also
   * called when a payload cannot be converted (`bad-payload`) or is invalid (`invalid-payload`), and
   * when an automatic settlement has failed, for example with `not-pending`. Without this callback
   * the client's `error` event reports it.
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
