/** Bounds of the wait before a connection is tried again, in milliseconds. */
export interface BackoffBounds {
  /** Upper bound of the wait after the first failure. */
  readonly min: number;
  /** Upper bound of any wait. */
  readonly max: number;
}

/**
 * How long to wait after `failures` failures in a row: anything between 0 and a bound that doubles
 * with each failure. The whole range is random ("full jitter"), so that clients that were
 * disconnected together do not come back together.
 */
export function backoff(failures: number, bounds: BackoffBounds, random: () => number): number {
  const bound = Math.min(bounds.max, bounds.min * 2 ** Math.max(0, failures - 1));
  return Math.floor(random() * bound);
}
