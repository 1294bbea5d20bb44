package io.sluice.gateway.broker;

import java.util.random.RandomGenerator;

/**
 * Exponential backoff with full jitter: each delay is random between 0 and a bound that doubles
 * with each failure. Jitter spreads the reconnects of many nodes that lost the same broker. One
 * thread at a time.
 */
public final class Backoff {
  private final long minMs;
  private final long maxMs;
  private final RandomGenerator random;
  private long boundMs;

  /**
   * Creates an instance before its first failure.
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

  /** Returns an instance with the same bounds and random numbers, before its first failure. */
  public Backoff another() {
    return new Backoff(minMs, maxMs, random);
  }

  /** Returns the next delay in milliseconds and doubles the bound. */
  public long nextMs() {
    long delayMs = random.nextLong(boundMs + 1);
    boundMs = Math.min(maxMs, boundMs * 2);
    return delayMs;
  }

  /** Resets the bound after a success. */
  public void reset() {
    boundMs = minMs;
  }
}
