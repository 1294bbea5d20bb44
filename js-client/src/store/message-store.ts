import type { ClientEmitter } from "../engine/client-events.js";
import type { NodeClock } from "../engine/clock.js";
import type { Attachment, SubscriptionListener } from "../engine/observed-topic.js";
import type { SubscriptionObserver } from "../engine/observer.js";
import type { SubscribeSettings } from "../engine/subscribe-options.js";

/** Adds an observer to a topic. */
export type AddObserver = (
  topic: string,
  observer: SubscriptionObserver,
  settings: SubscribeSettings,
) => Attachment;

/** Client as used by its store. */
export interface StoreHost {
  readonly client: Pick<ClientEmitter, "on">;
  readonly clock: NodeClock;
  readonly listener: SubscriptionListener;
  /** Adds an observer without the store. */
  readonly add: AddObserver;
}

/** Store of received messages, as created by `indexedDb` of `@sluice/client/store`. */
export interface MessageStore {
  /**
   * Connects the store with a client; returns the function that adds its observers.
   *
   * @internal
   */
  attach(host: StoreHost): AddObserver;
}
