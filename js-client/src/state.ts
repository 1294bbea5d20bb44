import type { SluiceError } from "./errors.js";
import type { Hello } from "./frames.js";

/** How a connection ended. */
export interface ConnectionEnd {
  /** WebSocket close code; 1006 if there was none. */
  readonly code: number;
  /** The reason that came with it, may be empty. */
  readonly reason: string;
}

/** Where the client stands; `status` says what else is known. */
export type ConnectionState = Connecting | Open | Stale | Draining | Closed;

/** See {@link ConnectionState}. */
export interface Connecting {
  /** There is no session: being opened, or waiting for the next try. */
  readonly status: "connecting";
  /** Failures in a row so far. */
  readonly failures: number;
  /** When the next try comes, milliseconds since 1970; undefined while one is being made. */
  readonly retryAt: number | undefined;
  /** How the last connection or try ended; undefined before the first has. */
  readonly lastEnd: ConnectionEnd | undefined;
}

/** See {@link ConnectionState}. */
export interface Open {
  /** Messages flow. */
  readonly status: "open";
  /** What the node says of itself. */
  readonly hello: Hello;
}

/** See {@link ConnectionState}. */
export interface Stale {
  /** Connected, but the node has lost the broker. */
  readonly status: "stale";
  /** What the node says of itself. */
  readonly hello: Hello;
}

/** See {@link ConnectionState}. */
export interface Draining {
  /** The node is going to stop. Messages flow until the client has moved to another one. */
  readonly status: "draining";
  /** What the node says of itself. */
  readonly hello: Hello;
  /** When it closes the connection at the latest; its time, milliseconds since 1970. */
  readonly deadline: number;
}

/** See {@link ConnectionState}. */
export interface Closed {
  /** It is over for good. */
  readonly status: "closed";
  /** Why; undefined if the application asked for it. */
  readonly error: SluiceError | undefined;
}

/** What can happen to a connection. */
export type ConnectionEvent =
  | { readonly type: "dialled" }
  | { readonly type: "hello"; readonly hello: Hello }
  | { readonly type: "stale" }
  | { readonly type: "live" }
  | { readonly type: "draining"; readonly deadline: number }
  | {
      readonly type: "lost";
      readonly failures: number;
      readonly retryAt: number;
      readonly end: ConnectionEnd;
    }
  | { readonly type: "closed"; readonly error: SluiceError | undefined };

/** The state before anything has happened. */
export const initialState: ConnectionState = {
  status: "connecting",
  failures: 0,
  retryAt: undefined,
  lastEnd: undefined,
};

/** Whether a stream that was renewed has led to a node like the one before. */
function isSame(state: ConnectionState, hello: Hello): boolean {
  return state.status === statusOf(hello) && state.hello.node === hello.node;
}

function statusOf(hello: Hello): "open" | "stale" {
  return hello.broker === "up" ? "open" : "stale";
}

/**
 * The state after an event. An event that means nothing in a state leaves it as it is, and the same
 * object comes back.
 */
export function transition(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  if (state.status === "closed") return state;
  switch (event.type) {
    case "dialled":
      return state.status === "connecting" ? { ...state, retryAt: undefined } : state;
    case "hello":
      return isSame(state, event.hello)
        ? state
        : { status: statusOf(event.hello), hello: event.hello };
    case "stale":
      return state.status === "open" ? { status: "stale", hello: state.hello } : state;
    case "live":
      return state.status === "stale" ? { status: "open", hello: state.hello } : state;
    case "draining":
      return "hello" in state
        ? { status: "draining", hello: state.hello, deadline: event.deadline }
        : state;
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
