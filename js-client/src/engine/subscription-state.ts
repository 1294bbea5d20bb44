import type { SluiceError } from "./errors.js";

/** Reason for which messages may be missing. A node may send reasons that are not listed here. */
export type GapReason =
  /** The node's consumer was interrupted and is active again. */
  | "broker-lost"
  /** The node was overloaded and dropped messages. */
  | "overload"
  /** A message exceeded the node's size limit. */
  | "too-large"
  /** A message had a type that the node does not forward. */
  | "unsupported"
  /**
   * The connection was lost, and the node's log no longer has all messages since (detected by the
   * client). The application starts over: the current state follows as replayed messages.
   */
  | "not-recovered"
  /**
   * The connection ended during a snapshot, which is sent again (detected by the client). Values
   * that were already delivered remain valid; the rest follows.
   */
  | "snapshot-cut"
  /**
   * The credential has another subject (detected by the client): what was delivered is that of the
   * previous one. The subscription starts anew.
   */
  | "identity-changed"
  /** Offsets are not consecutive (detected by the client). */
  | "missing"
  /** A frame was unreadable (detected by the client); the event `error` has the reason. */
  | "unreadable"
  /**
   * The buffer of `messages` was full, and its oldest messages were dropped. Without a loop: more
   * than 10,000 messages waited for the code or the schema of their payloads; later ones were
   * dropped.
   */
  | "buffer-full"
  | (string & {});

/** Point of a subscription's stream at which messages may be missing. */
export interface Gap {
  /** Subscribed topic or pattern. */
  readonly topic: string;
  /** Reason of the gap. */
  readonly reason: GapReason;
}

/** Start of a subscription's stream on this connection, within one log. */
export interface StreamStart {
  /** Name of the source of the topic, such as `kafka`; undefined if the node has one source. */
  readonly source?: string | undefined;
  /** Identifier of the node's log of the topic. */
  readonly epoch: string;
  /** Offset of the last message before the live stream. */
  readonly offset: number;
}

/** State of a subscription, discriminated by `status`. */
export type SubscriptionState = PendingSubscription | Live | AfterGap | Refused | Ended;

/** {@link SubscriptionState} before the node's answer. */
export interface PendingSubscription {
  /** There is no connection, or the node has not answered yet. */
  readonly status: "pending";
}

/** {@link SubscriptionState} while messages are delivered. */
export interface Live extends StreamStart {
  /** Messages are delivered. */
  readonly status: "live";
}

/** {@link SubscriptionState} between a gap and the next message. */
export interface AfterGap extends StreamStart {
  /** A gap was reported; the next message makes the subscription live again. */
  readonly status: "gap";
  /** Reason of the gap. */
  readonly reason: GapReason;
}

/** {@link SubscriptionState} after a refusal, or if the code for payloads could not be loaded. */
export interface Refused {
  /**
   * The node refused the subscription. It is requested again at the next connection, with the next
   * credential and for the next handler; after a refusal by a quota also later. With the error `not-loaded` the subscription has ended instead.
   */
  readonly status: "refused";
  /** Error of the node, or `not-loaded`. */
  readonly error: SluiceError;
}

/** {@link SubscriptionState} after `unsubscribe`. */
export interface Ended {
  /** The subscription has ended. `onState` does not report this state. */
  readonly status: "closed";
}

/** Event of a subscription. */
export type SubscriptionEvent =
  /** The subscription is requested, now or at the next connection. */
  | { readonly type: "requested" }
  /** The node has answered; `gap` is the reason if messages may be missing before what follows. */
  | ({ readonly type: "answered"; readonly gap: GapReason | undefined } & StreamStart)
  | { readonly type: "gap"; readonly reason: GapReason }
  | { readonly type: "message" };

/** Initial state. */
export const pending: SubscriptionState = { status: "pending" };

/** Returns the state after an event. An event that does not apply returns the same object. */
export function nextState(state: SubscriptionState, event: SubscriptionEvent): SubscriptionState {
  const { status } = state;
  const isActive = "epoch" in state;
  switch (event.type) {
    case "requested":
      return status === "pending" ? state : pending;
    case "answered": {
      if (status === "refused") return state;
      const { source, epoch, offset, gap } = event;
      if (gap === undefined && isActive && state.epoch === epoch) return state;
      // A stream may be renewed before the message that would end a gap.
      const reason = gap ?? (status === "gap" ? state.reason : undefined);
      return reason === undefined
        ? { status: "live", source, epoch, offset }
        : { status: "gap", reason, source, epoch, offset };
    }
    case "gap":
      return isActive ? { ...state, status: "gap", reason: event.reason } : state;
    case "message":
      return status === "gap"
        ? { status: "live", source: state.source, epoch: state.epoch, offset: state.offset }
        : state;
  }
}
