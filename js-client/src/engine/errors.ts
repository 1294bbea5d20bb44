import type { SchemaIssue } from "./standard-schema.js";

/** Error codes of a node; PROTOCOL.md, section 6, defines them. */
export type NodeErrorCode =
  | "bad-json"
  | "bad-frame"
  | "unknown-type"
  | "already-connected"
  | "unauthorized"
  | "invalid-topic"
  | "topic-too-long"
  | "topic-too-deep"
  | "forbidden"
  | "unknown-topic"
  | "already-subscribed"
  | "not-subscribed"
  | "too-many-subscriptions"
  | "too-many-topics"
  | "rate-limited"
  | "broker-unavailable"
  | "publish-failed"
  | "unsupported"
  | "unknown-queue"
  | "invalid-selector"
  | "too-many-consumers"
  | "not-pending"
  | "unknown-subscription"
  | "subscription-exists"
  | "subscription-in-use"
  | "transaction-failed"
  | "settle-failed"
  | "too-many-requests"
  | "timeout"
  | "no-reply"
  | "no-recipient"
  | "internal";

/**
 * Error codes of this client.
 *
 * - `invalid-argument`: an argument of a call is invalid.
 * - `closed`: the client is closed; `cause` has the reason unless the application closed it.
 * - `wrong-path`: the server at the address has no WebSocket endpoint at this path; the client
 *   continues to try.
 * - `buffered-stream`: WebSockets are blocked, and a proxy buffers the HTTP stream; the client
 *   continues to try.
 * - `connection-limit`: other pages hold all connections that the browser opens to this host; the
 *   client continues to try.
 * - `refused`: the node closed with a code that forbids a reconnect.
 * - `connection-lost`: the connection ended between a publish, a settlement, a request or a
 *   transaction and its answer; it may or may not have taken effect. For `browse`, `durables` and
 *   `delete`: there is no connection.
 * - `messages-missing`: messages of a shared subscription may be missing, because the node has lost
 *   the broker.
 * - `not-sent`: the HTTP request with this publish was refused before it was processed, or code that
 *   is loaded on demand could not be loaded; the next call loads it again.
 * - `not-loaded`: code for payloads could not be loaded. The subscription has ended, with this error
 *   in its state `refused`; a reload of the page loads the code again. For the code of `compression`
 *   or `debug`: the client connects without it.
 * - `not-stored`: publishes cannot be stored in IndexedDB; they are still sent.
 * - `publish-queue-full`: the publish queue has reached its limit; the message was not sent.
 * - `publish-timeout`: no answer in time. The error message states whether the publish had been
 *   sent.
 * - `too-large`: the message exceeds the node's limit; it was not sent.
 * - `bad-answer`: the node sent an invalid frame, or an address that the client cannot use; it was
 *   ignored.
 * - `identity-changed`: the credential has another subject than before; what the client had not sent,
 *   or what was not answered, is dropped.
 * - `logged-out`: the `token` function has thrown {@link LoggedOut}.
 * - `no-token`: the `token` function failed or did not return a string; `cause` has the error.
 * - `handler-failed`: a handler of the application threw, or its promise was rejected; `cause` has
 *   the reason.
 * - `bad-payload`: a message cannot be converted to the requested `payload` kind; it was not
 *   delivered, and `cause` has the reason.
 * - `invalid-payload`: a payload does not match its `schema`. The message was not delivered, or the
 *   publish not sent; `issues` has the reasons, and `rejected` the message.
 * - `buffer-full`: the loop over `messages` was too slow, and its subscription has ended.
 */
export type ClientErrorCode =
  | "invalid-argument"
  | "closed"
  | "wrong-path"
  | "buffered-stream"
  | "connection-limit"
  | "refused"
  | "connection-lost"
  | "messages-missing"
  | "not-sent"
  | "not-loaded"
  | "not-stored"
  | "publish-queue-full"
  | "publish-timeout"
  | "too-large"
  | "bad-answer"
  | "identity-changed"
  | "logged-out"
  | "no-token"
  | "handler-failed"
  | "bad-payload"
  | "invalid-payload"
  | "buffer-full";

/** Any error code. A newer node may send codes that are not listed here. */
export type ErrorCode = NodeErrorCode | ClientErrorCode | (string & {});

/** Message or publish with a payload that does not match its schema. */
export interface RejectedPayload {
  /** Concrete topic; undefined for a message of a queue. */
  readonly topic?: string | undefined;
  /** Queue, if it is a message of one. */
  readonly queue?: string | undefined;
  /** Offset of the message in the node's log of its topic or pattern. */
  readonly offset?: number;
  /** Identity of the message. */
  readonly id?: string;
  /** Payload before the validation. */
  readonly payload: unknown;
}

/** Error type of every failure in this package. */
export class SluiceError extends Error {
  /** Name of the class, for logs. */
  override readonly name = "SluiceError";
  /** Stable code, for programs. */
  readonly code: ErrorCode;
  /** Topic or pattern concerned, if any. */
  readonly topic: string | undefined;
  /** Queue concerned, if any. */
  declare readonly queue?: string | undefined;
  /** Reasons of `invalid-payload`; empty if the schema or its conversion to JSON failed. */
  declare readonly issues?: readonly SchemaIssue[];
  /** Message or publish of `invalid-payload`. */
  declare readonly rejected?: RejectedPayload;
  /**
   * Number of equal errors that this one represents, if it was repeated within ten seconds; see the
   * event `error`. For `invalid-payload`: number of invalid payloads of this subscription, consumer
   * or client so far.
   */
  declare readonly count?: number;

  /**
   * Creates an error. The message is for humans and may change; `cause` is the underlying error.
   */
  constructor(code: ErrorCode, message: string, topic?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.topic = topic;
  }
}

/** Thrown by a `token` function if there is no user: closes the client, which does not retry. */
export class LoggedOut extends SluiceError {
  /** Creates the error of a user who has logged out. */
  constructor(message = "the user has logged out") {
    super("logged-out", message);
  }
}

/** Returns the error for an invalid argument, with the expected and the actual value. */
export function invalidArgument(name: string, expected: string, actual: unknown): SluiceError {
  return new SluiceError("invalid-argument", `${name} must be ${expected}, not ${show(actual)}`);
}

/** Returns the error for an invalid frame from the node. */
export function protocolError(what: string, cause?: unknown): SluiceError {
  return new SluiceError("bad-answer", `invalid frame: ${what}`, undefined, cause);
}

/** Returns the error for a redirect to an address that the client cannot or must not use. */
export function redirectError(url: string, cause?: unknown): SluiceError {
  return protocolError(`redirect to ${url}`, cause);
}

/** Wraps what was thrown while a frame was parsed. */
export function toSluiceError(thrown: unknown, topic?: string): SluiceError {
  if (!topic && thrown instanceof SluiceError) return thrown;
  return new SluiceError("bad-answer", (thrown as Error).message, topic, thrown);
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value ? "an object" : String(value);
}
