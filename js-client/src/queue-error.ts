import { SluiceError, type ErrorCode } from "./errors.js";

/** Returns an error that concerns a queue. */
export function queueError(
  queue: string,
  code: ErrorCode,
  message: string,
  cause?: unknown,
): SluiceError {
  return errorAt({ queue }, code, message, cause);
}

/** Returns an error that concerns a topic or a queue. */
export function errorAt(
  { topic, queue }: { readonly topic?: string | undefined; readonly queue?: string | undefined },
  code: ErrorCode,
  message: string,
  cause?: unknown,
): SluiceError {
  const error = new SluiceError(code, message, topic, cause);
  return queue === undefined ? error : Object.assign(error, { queue });
}
