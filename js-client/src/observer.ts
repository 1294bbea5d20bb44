import type { Undo } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { Position } from "./position.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";

/** What {@link SluiceClient.subscribe} returns: a function that ends the subscription. */
export interface Subscription extends Undo {
  /**
   * Where the subscription stands now, after the message that is being told. An application that
   * keeps it can subscribe `from` it later, also in another page. Undefined before the node's first
   * answer, and within a snapshot.
   */
  readonly position: Position | undefined;
  /** Its state now; `onState` of the observer tells of each change. */
  readonly state: SubscriptionState;
}

/** What one caller of subscribe wants to hear. The callbacks are called as methods of the object. */
export interface SubscriptionObserver<Heard = Message> {
  /** A message. Handlers are called one after the other and should return soon. */
  readonly onMessage: (message: Heard) => void;
  /** Messages may be missing here. */
  readonly onGap?: ((gap: Gap) => void) | undefined;
  /** The subscription's state has changed; also called once if it is not pending to begin with. */
  readonly onState?: ((state: SubscriptionState) => void) | undefined;
  /**
   * The node refused the subscription, or a payload could not be converted (`bad-payload`). Without
   * this, the client's `error` event tells of it.
   */
  readonly onError?: ((error: SluiceError) => void) | undefined;
}

/** What hears messages: a function, or an observer that hears more. */
export type MessageHandler<Heard = Message> =
  ((message: Heard) => void) | SubscriptionObserver<Heard>;
