/** Close code of an HTTP stream that has reached its maximum duration. */
export const RENEW = 4101;

/** Returns whether a fresh credential may help: the old one was rejected or has expired. */
export function isTokenRejected(code: number): boolean {
  return code === 4200 || code === 4201;
}

/** Returns whether a node forbids another attempt: with these codes the result would be the same. */
export function isFinal(code: number): boolean {
  return code > 4199 && code < 4206 && code !== 4202;
}

/** Action after a connection has ended. */
export type AfterClose = "retry" | "retry-elsewhere" | "fatal";

/**
 * Returns the action for a WebSocket close code: PROTOCOL.md, section 7.
 *
 * The function is not called for a close that the application requested. Any other code than those
 * of the table may come from an intermediary, so the client reconnects.
 */
export function afterClose(code: number): AfterClose {
  if (code >= 4100 && code <= 4199) return "retry-elsewhere";
  return isFinal(code) ? "fatal" : "retry";
}
