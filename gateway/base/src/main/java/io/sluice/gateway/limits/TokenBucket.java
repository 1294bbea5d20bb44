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
      throw new IllegalArgumentException("rate " + perSecond + "/s is not above 0");
    }
    this.tokenNs = SECOND_NS / perSecond;
    this.burstNs = (long) (burst * tokenNs);
    this.fullNs = nowNs;
  }

  /** Creates a full bucket with bursts of one second's tokens. */
  public TokenBucket(long perSecond, long nowNs) {
    this(perSecond, perSecond, nowNs);
  }

  /** Takes one token. Returns false if there is none. */
  public boolean take(long nowNs) {
    return take(1, nowNs);
  }

  /** Takes tokens, all or none. Returns whether they were taken. */
  public boolean take(long tokens, long nowNs) {
    return take(FULL_NS, this, (long) (tokens * tokenNs), burstNs, nowNs);
  }

  /**
   * Takes one token of a bucket that is a field of another object, with bursts of one second's
   * tokens.
   *
   * @param fullNs the field: the time at which the bucket is full again
   * @param perSecond tokens a second, above 0
   */
  static <T> boolean take(AtomicLongFieldUpdater<T> fullNs, T owner, long perSecond, long nowNs) {
    return take(fullNs, owner, (long) (SECOND_NS / perSecond), (long) SECOND_NS, nowNs);
  }

  /** Returns whether such a bucket has a token. */
  static boolean has(long fullNs, long perSecond, long nowNs) {
    return Math.max(0, fullNs - nowNs) + (long) (SECOND_NS / perSecond) <= (long) SECOND_NS;
  }

  private static <T> boolean take(
      AtomicLongFieldUpdater<T> fullNs, T owner, long costNs, long burstNs, long nowNs) {
    while (true) {
      long full = fullNs.get(owner);
      long missingNs = Math.max(0, full - nowNs) + costNs;
      if (missingNs > burstNs) {
        return false;
      }
      if (fullNs.compareAndSet(owner, full, nowNs + missingNs)) {
        return true;
      }
    }
  }
}
