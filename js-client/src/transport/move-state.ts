import type { CandidateLink } from "./candidate-link.js";

/** State of a move to another node, discriminated by `status`. */
export type MoveState =
  /** Waiting for the next attempt. */
  | { readonly status: "waiting"; readonly failures: number }
  /** A second link is being opened; its hello is pending. */
  | { readonly status: "connecting"; readonly failures: number; readonly candidate: CandidateLink }
  /** The other node has sent its hello; some subscriptions are not answered yet. */
  | { readonly status: "subscribing"; readonly failures: number; readonly candidate: CandidateLink }
  /** All subscriptions are answered there. Publishes are unanswered here; new ones are paused. */
  | { readonly status: "settling"; readonly failures: number; readonly candidate: CandidateLink }
  /** The client has moved, or stays. */
  | { readonly status: "ended" };

/** Event of a move. */
export type MoveEvent =
  | { readonly type: "dialled"; readonly candidate: CandidateLink }
  /** The HTTP stream is renewed. */
  | { readonly type: "opened" }
  | { readonly type: "hello" }
  | { readonly type: "polled"; readonly isReady: boolean }
  | { readonly type: "failed" }
  | { readonly type: "ended" };

/** Initial state. */
export const firstMoveState: MoveState = { status: "waiting", failures: 0 };

/** Returns the state after an event. An event that does not apply returns the same object. */
export function nextMoveState(state: MoveState, event: MoveEvent): MoveState {
  if (state.status === "ended") return state;
  const { failures } = state;
  switch (event.type) {
    case "dialled":
      return { status: "connecting", failures, candidate: event.candidate };
    case "opened":
      return "candidate" in state ? { ...state, status: "connecting" } : state;
    case "hello":
      return state.status === "connecting" ? { ...state, status: "subscribing" } : state;
    case "polled": {
      const status = event.isReady ? "settling" : "subscribing";
      const isPollable = state.status === "subscribing" || state.status === "settling";
      return isPollable && state.status !== status ? { ...state, status } : state;
    }
    case "failed":
      return { status: "waiting", failures: failures + 1 };
    case "ended":
      return { status: "ended" };
  }
}
