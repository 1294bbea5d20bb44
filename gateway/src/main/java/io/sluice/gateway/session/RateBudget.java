package io.sluice.gateway.session;

/** A token bucket: so many acts a second on average, some at once. Bound to one event loop. */
public final class RateBudget {
  private static final double NANOS = 1e9;

  private final int perSecond;
  private final int atOnce;
  private double left;
  private long lastNs;

  /**
   * Creates a full bucket.
   *
   * @param nowNs the time of a clock that only rises, in nanoseconds
   */
  public RateBudget(int perSecond, int atOnce, long nowNs) {
    this.perSecond = perSecond;
    this.atOnce = atOnce;
    this.left = atOnce;
    this.lastNs = nowNs;
  }

  /** Takes one, if there is one. */
  public boolean take(long nowNs) {
    left = Math.min(atOnce, left + (nowNs - lastNs) / NANOS * perSecond);
    lastNs = nowNs;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
