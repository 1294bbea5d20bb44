import { SluiceError, type ErrorCode } from "../engine/errors.js";

/** Topic or queue that an error concerns. */
export interface Place {
  readonly topic?: string | undefined;
  readonly queue?: string | undefined;
}

// Refusals by a quota or for the moment.
const TRANSIENT = [
  "broker-unavailable",
  "rate-limited",
  "too-many-consumers",
  "too-many-subscriptions",
  "too-many-topics",
];

/** Returns whether the node may accept the request later. */
export function isTransient({ code }: SluiceError): boolean {
  return TRANSIENT.includes(code);
}

/** Returns an error that concerns a topic or a queue. */
export function errorAt(
  { topic, queue }: Place,
  code: ErrorCode,
  message: string,
  cause?: unknown,
): SluiceError {
  const error = new SluiceError(code, message, topic, cause);
  return queue === undefined ? error : Object.assign(error, { queue });
}

/** Returns code and message for what waits while the client is closed or its identity changes. */
export function endOf(cause: SluiceError | undefined, outcome: string): [ErrorCode, string] {
  const isOther = cause?.code === "identity-changed";
  return [
    isOther ? cause.code : "closed",
    `${isOther ? cause.message : "the client is closed"}; ${outcome}`,
  ];
}
