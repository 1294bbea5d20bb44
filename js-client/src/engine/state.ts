import type { SluiceError } from "./errors.js";
import type { Hello } from "./frames.js";

/** End of a connection. */
export interface ConnectionEnd {
  /** WebSocket close code; 1006 if there was none. */
  readonly code: number;
  /** Reason of the close frame, possibly empty. */
  readonly reason: string;
}

/** State of the connection, discriminated by `status`. */
export type ConnectionState = Connecting | Open | Stale | Draining | Paused | Closed;

/** {@link ConnectionState} without a session. */
export interface Connecting {
  /** There is no session: the client is connecting, or waiting for the next attempt. */
  readonly status: "connecting";
  /** Consecutive failures. */
  readonly failures: number;
  /** Time of the next attempt, milliseconds since 1970; undefined while an attempt is pending. */
  readonly retryAt: number | undefined;
  /** End of the last connection or attempt; undefined before the first one. */
  readonly lastEnd: ConnectionEnd | undefined;
}

/** {@link ConnectionState} with a session. */
export interface Open {
  /** Connected; messages are delivered. */
  readonly status: "open";
  /** Description of the node. */
  readonly hello: Hello;
}

/** {@link ConnectionState} with a node that has lost its broker. */
export interface Stale {
  /** Connected, but the node has lost the broker connection. */
  readonly status: "stale";
  /**
   * Sources that the node has lost, of those that this client uses: only subscriptions with one of
   * them as `state.source` may miss messages. Undefined if all subscriptions may.
   */
  readonly sources?: readonly string[] | undefined;
  /** Description of the node. */
  readonly hello: Hello;
}

/** {@link ConnectionState} with a node that is about to stop. */
export interface Draining {
  /**
   * The node is about to stop. Messages are delivered until the client has moved to another one.
   */
  readonly status: "draining";
  /** Description of the node. */
  readonly hello: Hello;
  /** Latest time at which the node closes the connection: node time, milliseconds since 1970. */
  readonly deadline: number;
}

/** {@link ConnectionState} after `pause`. */
export interface Paused {
  /** There is no connection until `resume` is called. */
  readonly status: "paused";
}

/** {@link ConnectionState} after the client was closed. */
export interface Closed {
  /** Closed permanently. */
  readonly status: "closed";
  /** Reason; undefined if the application closed the client. */
  readonly error: SluiceError | undefined;
}

/** Event of a connection. */
export type ConnectionEvent =
  | { readonly type: "dialled" }
  | { readonly type: "paused" }
  | { readonly type: "hello"; readonly hello: Hello }
  | { readonly type: "stale"; readonly sources?: object | undefined }
  | { readonly type: "live" }
  | { readonly type: "draining"; readonly deadline: number }
  | {
      readonly type: "lost";
      readonly failures: number;
      readonly retryAt: number;
      readonly end: ConnectionEnd;
    }
  | { readonly type: "closed"; readonly error: SluiceError | undefined };

/** Initial state. */
export const initialState: ConnectionState = {
  status: "connecting",
  failures: 0,
  retryAt: undefined,
  lastEnd: undefined,
};

/** Returns whether a renewed stream has reached the same node in the same state. */
function isSame(state: ConnectionState, hello: Hello): boolean {
  return state.status === statusOf(hello) && state.hello.node === hello.node;
}

function statusOf(hello: Hello): "open" | "stale" {
  return hello.broker === "up" ? "open" : "stale";
}

/** Returns the state after an event. An event that does not apply returns the same object. */
export function transition(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  if (state.status === "closed") return state;
  switch (event.type) {
    case "dialled":
      if (state.status === "paused") return initialState;
      return state.status === "connecting" ? { ...state, retryAt: undefined } : state;
    case "paused":
      return { status: "paused" };
    case "hello":
      return isSame(state, event.hello)
        ? state
        : { status: statusOf(event.hello), hello: event.hello };
    case "stale":
      return state.status === "open" ||
        (state.status === "stale" && state.sources !== event.sources)
        ? { hello: state.hello, status: "stale", sources: event.sources as Stale["sources"] }
        : state;
    case "live":
      return state.status === "stale" ? { hello: state.hello, status: "open" } : state;
    case "draining":
      return "hello" in state ? { ...state, status: "draining", deadline: event.deadline } : state;
    case "lost":
      return {
        status: "connecting",
        failures: event.failures,
        retryAt: event.retryAt,
        lastEnd: event.end,
      };
    case "closed":
      return { status: "closed", error: event.error };
  }
}
