/** Bounds of the delay between connection attempts, in milliseconds. */
export interface BackoffBounds {
  /** Upper bound of the delay after the first failure. */
  readonly min: number;
  /** Upper bound of any delay. */
  readonly max: number;
}

/**
 * Returns the delay after `failures` consecutive failures: a random value between 0 and a bound
 * that doubles with each failure. The whole range is random ("full jitter"), which spreads the
 * reconnects of clients that were disconnected together.
 */
export function backoff(failures: number, bounds: BackoffBounds, random: () => number): number {
  const bound = Math.min(bounds.max, bounds.min * 2 ** Math.max(0, failures - 1));
  return Math.floor(random() * bound);
}
