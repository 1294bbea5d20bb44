package io.sluice.gateway.limits;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Token bucket: an average rate with bursts of a bounded size. For any thread, without locks.
 *
 * <p>Its only state is the time at which it will be full again if nothing more is taken.
 */
public final class TokenBucket {
  private static final double SECOND_NS = 1e9;
  private static final AtomicLongFieldUpdater<TokenBucket> FULL_NS =
      AtomicLongFieldUpdater.newUpdater(TokenBucket.class, "fullNs");

  private final double tokenNs;
  private final long burstNs;
  private volatile long fullNs;

  /**
   * Creates a full bucket.
   *
   * @param perSecond tokens a second, above 0
   * @param burst tokens that can be taken at one moment
   * @param nowNs time of a clock that only rises, in nanoseconds
   */
  public TokenBucket(long perSecond, long burst, long nowNs) {
    if (perSecond <= 0) {
      throw new IllegalArgumentException("a rate of " + perSecond + "/s");
    }
    this.tokenNs = SECOND_NS / perSecond;
    this.burstNs = (long) (burst * tokenNs);
    this.fullNs = nowNs;
  }

  /** Creates a full bucket with bursts of one second's tokens. */
  public TokenBucket(long perSecond, long nowNs) {
    this(perSecond, perSecond, nowNs);
  }

  /** Returns a full bucket, or null if the rate is 0, which stands for no limit. */
  public static TokenBucket of(long perSecond, long nowNs) {
    return perSecond == 0 ? null : new TokenBucket(perSecond, nowNs);
  }

  /** Takes one token, if there is one. */
  public boolean take(long nowNs) {
    return take(1, nowNs);
  }

  /** Takes tokens, all or none. */
  public boolean take(long tokens, long nowNs) {
    long costNs = (long) (tokens * tokenNs);
    while (true) {
      long full = fullNs;
      long missingNs = Math.max(0, full - nowNs) + costNs;
      if (missingNs > burstNs) {
        return false;
      }
      if (FULL_NS.compareAndSet(this, full, nowNs + missingNs)) {
        return true;
      }
    }
  }

  /** Returns whether so many tokens could be taken. */
  public boolean has(long tokens, long nowNs) {
    return Math.max(0, fullNs - nowNs) + (long) (tokens * tokenNs) <= burstNs;
  }

  /** Returns whether no token is missing. */
  public boolean isFull(long nowNs) {
    return fullNs - nowNs <= 0;
  }
}
