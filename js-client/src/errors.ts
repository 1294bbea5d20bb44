/** Codes of errors that a node answers with; their meaning stands in PROTOCOL.md, section 6. */
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
  | "internal";

/**
 * Codes of errors that arise in this client.
 *
 * - `invalid-argument`: a call was given something else than its documentation says.
 * - `closed`: the client is closed; `cause` says why if the application did not close it.
 * - `refused`: the node closed with a code that forbids another try.
 * - `connection-lost`: the connection ended after a publish was sent and before its answer came;
 *   nobody knows whether the broker has the message.
 * - `not-sent`: a request with this publish was refused by HTTP before anything of it was done, or
 *   the code that publishes could not be loaded; the next publish tries that again.
 * - `publish-queue-full`: as many publishes wait as the options allow; this one was not sent.
 * - `publish-timeout`: no answer in time. The message says whether it had been sent.
 * - `too-large`: the message is larger than the node takes; it was not sent.
 * - `bad-answer`: the node sent a frame that breaks the protocol, or an address to which the client
 *   cannot go; it was ignored.
 * - `no-token`: the `token` function of the options failed, or gave something else than a string;
 *   `cause` has the error.
 * - `handler-failed`: a handler of the application threw; `cause` has what it threw.
 * - `bad-payload`: a message cannot be converted to the `payload` that a handler wants; the handler
 *   does not get this one, and `cause` says why.
 * - `buffer-full`: the loop over `messages` was too slow, and its subscription has ended.
 */
export type ClientErrorCode =
  | "invalid-argument"
  | "closed"
  | "refused"
  | "connection-lost"
  | "not-sent"
  | "publish-queue-full"
  | "publish-timeout"
  | "too-large"
  | "bad-answer"
  | "no-token"
  | "handler-failed"
  | "bad-payload"
  | "buffer-full";

/** Any code. A newer node may send codes that are not listed here. */
export type ErrorCode = NodeErrorCode | ClientErrorCode | (string & {});

/** What every failure of this package is. */
export class SluiceError extends Error {
  /** For people who read it in a log. */
  override readonly name = "SluiceError";
  /** Stable, for programs. */
  readonly code: ErrorCode;
  /** The topic or pattern concerned, if there is one. */
  readonly topic: string | undefined;

  /** The message is for people and may change; `cause` is what lies behind it, if anything. */
  constructor(code: ErrorCode, message: string, topic?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.topic = topic;
  }
}

/** An error for a call with a wrong argument: what was expected, and what came. */
export function invalidArgument(name: string, expected: string, actual: unknown): SluiceError {
  return new SluiceError("invalid-argument", `${name} must be ${expected}, not ${show(actual)}`);
}

/** An error for a frame of the node that breaks the protocol. */
export function badAnswer(what: string, cause?: unknown): SluiceError {
  return new SluiceError("bad-answer", `from the node: ${what}`, undefined, cause);
}

/** An error for an address of a node to which the client cannot go, or must not. */
export function badRedirect(url: string, cause?: unknown): SluiceError {
  return badAnswer(`redirect to ${url}`, cause);
}

/** What was thrown while a frame was read, as an error of ours. */
export function toSluiceError(thrown: unknown): SluiceError {
  return thrown instanceof SluiceError ? thrown : badAnswer("a frame that cannot be read", thrown);
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value ? "an object" : String(value);
}
