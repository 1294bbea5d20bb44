package io.sluice.gateway.broker;

import java.util.random.RandomGenerator;

/**
 * Waits between attempts: random between 0 and a bound that doubles with each failure (full
 * jitter), so that many nodes that lost the same broker do not come back at once. Bound to one
 * thread.
 */
public final class Backoff {
  private final long minMs;
  private final long maxMs;
  private final RandomGenerator random;
  private long boundMs;

  /**
   * Creates one before its first failure.
   *
   * @param minMs the first bound, in milliseconds
   * @param maxMs the largest bound
   */
  public Backoff(long minMs, long maxMs, RandomGenerator random) {
    this.minMs = Math.min(minMs, maxMs);
    this.maxMs = maxMs;
    this.random = random;
    this.boundMs = this.minMs;
  }

  /** The next wait in milliseconds. */
  public long nextMs() {
    long waitMs = random.nextLong(boundMs + 1);
    boundMs = Math.min(maxMs, boundMs * 2);
    return waitMs;
  }

  /** After a success the next failure begins anew. */
  public void reset() {
    boundMs = minMs;
  }
}
