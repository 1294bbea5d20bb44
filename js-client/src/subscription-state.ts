import type { SluiceError } from "./errors.js";

/** Why messages may be missing. A node may send reasons that are not listed here. */
export type GapReason =
  /** The node's consumer was away and stands again. */
  | "broker-lost"
  /** The node could not keep up and dropped messages. */
  | "overload"
  /** A message was larger than the node forwards. */
  | "too-large"
  /** A message of a kind that the node does not forward. */
  | "unsupported"
  /**
   * The connection was away, and the node has not everything since (found by the client). The
   * application begins anew: the state of now follows as replayed messages.
   */
  | "not-recovered"
  /**
   * The connection ended within a snapshot, which is sent again (found by the client). What the
   * application has of it stays true; the rest follows.
   */
  | "snapshot-cut"
  /** The numbers of the messages have a hole (found by the client). */
  | "missing"
  /** The buffer of `messages` was full, and its oldest messages were dropped. */
  | "buffer-full"
  | (string & {});

/** A place in a subscription's stream at which messages may be missing. */
export interface Gap {
  /** The topic or pattern that was subscribed. */
  readonly topic: string;
  /** What happened. */
  readonly reason: GapReason;
}

/** Where the stream of a subscription began on this connection, as far as one log has fed it. */
export interface StreamStart {
  /** The node's log of the topic. */
  readonly epoch: string;
  /** That of the last message before the live stream. */
  readonly offset: number;
}

/** Where one subscription stands; `status` says what else is known. */
export type SubscriptionState = PendingSubscription | Live | AfterGap | Refused;

/** See {@link SubscriptionState}. */
export interface PendingSubscription {
  /** There is no connection, or the node has not answered yet. */
  readonly status: "pending";
}

/** See {@link SubscriptionState}. */
export interface Live extends StreamStart {
  /** Messages arrive. */
  readonly status: "live";
}

/** See {@link SubscriptionState}. */
export interface AfterGap extends StreamStart {
  /** Messages may be missing, and the application has been told; live with the next message. */
  readonly status: "gap";
  /** What happened. */
  readonly reason: GapReason;
}

/** See {@link SubscriptionState}. */
export interface Refused {
  /** The node said no. It is asked again at the next connection, and for the next handler. */
  readonly status: "refused";
  /** What it said. */
  readonly error: SluiceError;
}

/** What can happen to a subscription. */
export type SubscriptionEvent =
  /** The node is asked, or will be at the next connection. */
  | { readonly type: "asked" }
  /** The node has answered; `gap` says why messages may be missing before what follows. */
  | ({ readonly type: "answered"; readonly gap: GapReason | undefined } & StreamStart)
  | { readonly type: "gap"; readonly reason: GapReason }
  | { readonly type: "message" }
  | { readonly type: "refused"; readonly error: SluiceError };

/** The state before anything has happened. */
export const pending: SubscriptionState = { status: "pending" };

/**
 * The state after an event. An event that means nothing in a state leaves it as it is, and the same
 * object comes back.
 */
export function nextState(state: SubscriptionState, event: SubscriptionEvent): SubscriptionState {
  const { status } = state;
  const stands = status === "live" || status === "gap";
  switch (event.type) {
    case "asked":
      return status === "pending" ? state : pending;
    case "answered": {
      if (status === "refused") return state;
      const { epoch, offset, gap } = event;
      if (gap === undefined && stands && state.epoch === epoch) return state;
      // A stream may be renewed before the message that would end a gap.
      const reason = gap ?? (status === "gap" ? state.reason : undefined);
      return reason === undefined
        ? { status: "live", epoch, offset }
        : { status: "gap", reason, epoch, offset };
    }
    case "gap":
      return stands ? { ...state, status: "gap", reason: event.reason } : state;
    case "message":
      return status === "gap"
        ? { status: "live", epoch: state.epoch, offset: state.offset }
        : state;
    case "refused":
      return { status: "refused", error: event.error };
  }
}
