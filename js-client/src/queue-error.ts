import { SluiceError, type ErrorCode } from "./errors.js";

/** Topic or queue that an error concerns. */
export interface Place {
  readonly topic?: string | undefined;
  readonly queue?: string | undefined;
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
