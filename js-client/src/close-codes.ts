/** The code with which a stream by HTTP ends whose time is over. */
export const RENEW = 4101;

/** Whether a fresh credential may help: the old one was not accepted, or has ended. */
export function asksForToken(code: number): boolean {
  return code === 4200 || code === 4201;
}

/** What to do after a connection has ended. */
export type AfterClose = "retry" | "retry-elsewhere" | "fatal";

/**
 * Decides from a WebSocket close code what comes next: PROTOCOL.md, section 7.
 *
 * A close that the application asked for is not put to this function, so a 1000 that reaches it came
 * from something in between, and the connection is tried again. So it is after any code that the
 * protocol does not name.
 */
export function afterClose(code: number): AfterClose {
  if (code >= 4100 && code <= 4199) return "retry-elsewhere";
  if (code >= 4200 && code <= 4299) return "fatal";
  if (code === 1002 || code === 1003 || (code >= 1007 && code <= 1010)) return "fatal";
  return "retry";
}
