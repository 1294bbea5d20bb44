import { checkFunction, checkOneOf } from "./arguments.js";
import { Emitter, type Undo } from "./emitter.js";
import { SluiceError } from "./errors.js";
import type { Hello } from "./frames.js";
import type { PendingPublish } from "./pending-publish.js";
import type { ConnectionState } from "./state.js";
import type { Gap } from "./subscription-state.js";

/** Change of the credential's subject. */
export interface IdentityChange {
  /** Previous subject; empty without a credential, undefined if unknown. */
  readonly from: string | undefined;
  /** Current subject; empty without a credential, undefined if unknown until the next hello. */
  readonly to: string | undefined;
}

/** Events of {@link Client.on}, by name. */
export interface ClientEvents {
  /** The connection's state has changed. */
  state: ConnectionState;
  /** A session has opened; the event describes the node. */
  hello: Hello;
  /** The node has lost the broker connection: every subscription may miss messages from now on. */
  stale: undefined;
  /** The broker connection is back, and messages are delivered again. */
  live: undefined;
  /** A subscription may have missed messages. */
  gap: Gap;
  /** The node is about to stop; the client moves to another one automatically. */
  draining: {
    /** Latest time at which the node closes the connection: node time, milliseconds since 1970. */
    readonly deadline: number;
  };
  /** The client has moved from one node to another without being disconnected. */
  moved: {
    /** Name of the previous node. */
    readonly from: string;
    /** Name of the current node. */
    readonly to: string;
  };
  /**
   * The credential has another subject than before. The client has ended its session, dropped
   * publishes, positions and cached messages, and connects again. Subscriptions start anew.
   */
  "identity-changed": IdentityChange;
  /** Unanswered publishes, oldest first; they have changed. */
  pending: readonly PendingPublish[];
  /**
   * An error that no other callback has received. Repetitions, with equal code and message, are
   * emitted at most once in ten seconds: the last one, whose `count` is the number since the
   * previous event.
   */
  error: SluiceError;
}

const EVENT_NAMES =
  "state hello stale live gap draining moved identity-changed pending error".split(" ");

// Minimum interval between two reports of the same cause.
const REPEAT_MS = 10_000;
// Limit of causes that are distinguished by their message.
const MAX_CAUSES = 20;

/** Event emitter of a client; logs errors to the console if there is no listener for them. */
export class ClientEmitter extends Emitter<ClientEvents> {
  #isReporting = false;
  /** Causes reported within {@link REPEAT_MS}, with the last error that was not delivered. */
  readonly #repeated = new Map<string, SluiceError | undefined>();

  constructor() {
    super((thrown) => {
      this.onHandlerThrew(thrown);
    });
  }

  /** Adds a listener of one event after checking the event's name. */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    checkOneOf("event", EVENT_NAMES, name);
    checkFunction("listener", listener);
    return this.add({ [name]: listener });
  }

  readonly onHandlerThrew = (thrown: unknown, topic?: string): void => {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    this.report(new SluiceError("handler-failed", `a handler threw: ${what}`, topic, thrown));
  };

  readonly report = (error: SluiceError): void => {
    // The number of different messages is not bounded; beyond the limit only the code counts.
    const cause = error.code + (this.#repeated.size < MAX_CAUSES ? error.message : "");
    if (!this.#repeated.has(cause)) {
      this.#deliver(cause, error);
      return;
    }
    const count = (this.#repeated.get(cause)?.count ?? 0) + 1;
    this.#repeated.set(cause, Object.assign(error, { count }));
  };

  #deliver(cause: string, error: SluiceError): void {
    this.#repeated.set(cause, undefined);
    // An error listener that throws must not receive its own error in an endless loop.
    const wasReporting = this.#isReporting;
    this.#isReporting = true;
    if (wasReporting || !this.emit("error", error)) console.error(error);
    this.#isReporting = wasReporting;
    const timer: unknown = setTimeout(() => {
      const last = this.#repeated.get(cause);
      this.#repeated.delete(cause);
      if (last) this.#deliver(cause, last);
    }, REPEAT_MS);
    // A Node process may end before.
    (timer as { unref?(): void }).unref?.();
  }
}
