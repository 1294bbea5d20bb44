import type { Entry } from "./entry.js";

/** Where the way to another node stands; `status` says what else is known. */
export type MoveState =
  /** Until the next try. */
  | { readonly status: "waiting"; readonly failures: number }
  /** A second link is being opened; there is no hello yet. */
  | { readonly status: "entering"; readonly failures: number; readonly entry: Entry }
  /** The other node has said hello; not every subscription is answered. */
  | { readonly status: "asking"; readonly failures: number; readonly entry: Entry }
  /** Everything is answered there, and some publishes are not here: new ones are held back. */
  | { readonly status: "settling"; readonly failures: number; readonly entry: Entry }
  /** The client has moved, or stays. */
  | { readonly status: "over" };

/** What can happen on the way. */
export type MoveEvent =
  | { readonly type: "dialled"; readonly entry: Entry }
  /** A stream by HTTP begins anew. */
  | { readonly type: "opened" }
  | { readonly type: "hello" }
  | { readonly type: "looked"; readonly isReady: boolean }
  | { readonly type: "failed" }
  | { readonly type: "ended" };

/** Before anything has happened. */
export const firstMoveState: MoveState = { status: "waiting", failures: 0 };

/**
 * The state after an event. An event that means nothing in a state leaves it as it is, and the same
 * object comes back.
 */
export function nextMoveState(state: MoveState, event: MoveEvent): MoveState {
  if (state.status === "over") return state;
  const { failures } = state;
  switch (event.type) {
    case "dialled":
      return { status: "entering", failures, entry: event.entry };
    case "opened":
      return "entry" in state ? { ...state, status: "entering" } : state;
    case "hello":
      return state.status === "entering" ? { ...state, status: "asking" } : state;
    case "looked": {
      const status = event.isReady ? "settling" : "asking";
      const isOther = state.status === "asking" || state.status === "settling";
      return isOther && state.status !== status ? { ...state, status } : state;
    }
    case "failed":
      return { status: "waiting", failures: failures + 1 };
    case "ended":
      return { status: "over" };
  }
}
