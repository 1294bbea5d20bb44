import type { ClientEvents } from "./client-events.js";
import type { ClockOffset } from "./clock.js";
import type { Undo } from "./emitter.js";
import type { Transport } from "./options.js";
import type { Message, PayloadKind, Properties } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/**
 * What every client can do: one with a connection of its own (`SluiceClient`), and one that shares
 * a connection with other tabs (`connectShared`). More about each member stands at `SluiceClient`.
 */
export interface Client {
  /** Where the client stands now. */
  readonly state: ConnectionState;
  /** How frames travel; undefined while there is no session. */
  readonly transport: Transport | undefined;
  /** How the node's clock stands to this one's; undefined before the first connection. */
  readonly clockOffset: ClockOffset | undefined;
  /**
   * Subscribes to a topic or pattern.
   *
   * @returns what ends it, and knows its position
   * @throws SluiceError `invalid-argument`, or `closed`
   */
  subscribe<Kind extends PayloadKind>(
    topic: string,
    observer: MessageHandler<Message<Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription;
  /** The same, with payloads as they were published. */
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription;
  /**
   * The messages of a topic or pattern, for a loop, which subscribes when it begins.
   *
   * @throws SluiceError `invalid-argument`
   */
  messages<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<Message<Kind>, void, undefined>;
  /** The same, with payloads as they were published. */
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined>;
  /**
   * Publishes a message.
   *
   * @returns a promise that resolves when the broker has the message
   * @throws SluiceError `invalid-argument`
   */
  publish(topic: string, payload: string | Uint8Array, properties?: Properties): Promise<void>;
  /**
   * Listens to an event.
   *
   * @returns what ends it
   * @throws SluiceError `invalid-argument`
   */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo;
  /** Tries at once if the client is waiting for its next try; otherwise does nothing. */
  retryNow(): void;
  /** Ends the connection for good. Publishes without an answer fail. */
  close(): void;
}
