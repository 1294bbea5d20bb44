import type { ClientEvents } from "./client.js";
import type { ClockOffset } from "./clock.js";
import type { Undo } from "./emitter.js";
import type { Message, Properties } from "./message.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Subscription, SubscriptionObserver } from "./subscriptions.js";

/**
 * What every client can do: one with a connection of its own (`SluiceClient`), and one that shares
 * a connection with other tabs (`connectShared`). The members are documented at `SluiceClient`.
 */
export interface Client {
  readonly state: ConnectionState;
  readonly clockOffset: ClockOffset | undefined;
  subscribe(
    topic: string,
    observer: ((message: Message) => void) | SubscriptionObserver,
    options?: SubscribeOptions,
  ): Subscription;
  publish(topic: string, payload: string | Uint8Array, properties?: Properties): Promise<void>;
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo;
  retryNow(): void;
  close(): void;
}
