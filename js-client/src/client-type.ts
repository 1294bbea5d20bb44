import type { ClientEvents } from "./client.js";
import type { ClockOffset } from "./clock.js";
import type { Undo } from "./emitter.js";
import type { Message, Properties } from "./message.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";

/**
 * What every client can do: one with a connection of its own (`SluiceClient`), and one that shares
 * a connection with other tabs (`connectShared`). More about each member stands at `SluiceClient`.
 */
export interface Client {
  /** Where the client stands now. */
  readonly state: ConnectionState;
  /** How the node's clock stands to this one's; undefined before the first connection. */
  readonly clockOffset: ClockOffset | undefined;
  /** Subscribes to a topic or pattern; what it returns ends that. */
  subscribe(
    topic: string,
    observer: ((message: Message) => void) | SubscriptionObserver,
    options?: SubscribeOptions,
  ): Subscription;
  /** Publishes a message; resolves when the broker has it. */
  publish(topic: string, payload: string | Uint8Array, properties?: Properties): Promise<void>;
  /** Listens to an event; what it returns ends that. */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo;
  /** Tries at once if the client is waiting for its next try. */
  retryNow(): void;
  /** Ends the connection for good. */
  close(): void;
}
