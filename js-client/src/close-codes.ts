/** Close code of an HTTP stream that has reached its maximum duration. */
export const RENEW = 4101;

/** Returns whether a fresh credential may help: the old one was rejected or has expired. */
export function isTokenRejected(code: number): boolean {
  return code === 4200 || code === 4201;
}

/** Action after a connection has ended. */
export type AfterClose = "retry" | "retry-elsewhere" | "fatal";

/**
 * Returns the action for a WebSocket close code: PROTOCOL.md, section 7.
 *
 * The function is not called for a close that the application requested. A 1000 that reaches it
 * comes from an intermediary, so the client reconnects. The same applies to any code that the
 * protocol does not define.
 */
export function afterClose(code: number): AfterClose {
  if (code >= 4100 && code <= 4199) return "retry-elsewhere";
  if (code >= 4200 && code <= 4299) return "fatal";
  if (code === 1002 || code === 1003 || (code >= 1007 && code <= 1010)) return "fatal";
  return "retry";
}
