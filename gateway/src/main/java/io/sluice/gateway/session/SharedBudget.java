package io.sluice.gateway.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket of which many take: so much a second on average, one second's worth at once. For
 * any thread; nobody waits for another.
 */
public final class SharedBudget {
  private static final double SECOND_NS = 1e9;

  private final double unitNs;

  /** When it will be full again, if nobody takes of it: all that has to be known. */
  private final AtomicLong fullNs;

  /**
   * Creates a full bucket.
   *
   * @param perSecond above 0
   * @param nowNs the time of a clock that only rises, in nanoseconds
   */
  public SharedBudget(long perSecond, long nowNs) {
    this.unitNs = SECOND_NS / perSecond;
    this.fullNs = new AtomicLong(nowNs);
  }

  /** A full bucket, or null if the rate is 0, which stands for no limit. */
  public static SharedBudget of(long perSecond, long nowNs) {
    return perSecond == 0 ? null : new SharedBudget(perSecond, nowNs);
  }

  /** Takes so many, if they are all there. */
  public boolean take(long amount, long nowNs) {
    long costNs = (long) (amount * unitNs);
    while (true) {
      long full = fullNs.get();
      long missingNs = Math.max(0, full - nowNs) + costNs;
      if (missingNs > SECOND_NS) {
        return false;
      }
      if (fullNs.compareAndSet(full, nowNs + missingNs)) {
        return true;
      }
    }
  }

  /** Whether so many could be taken. */
  public boolean has(long amount, long nowNs) {
    return Math.max(0, fullNs.get() - nowNs) + (long) (amount * unitNs) <= SECOND_NS;
  }

  /** Whether nothing is missing. */
  public boolean isFull(long nowNs) {
    return fullNs.get() - nowNs <= 0;
  }
}
