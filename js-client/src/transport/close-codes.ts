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
