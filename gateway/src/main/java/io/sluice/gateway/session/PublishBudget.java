package io.sluice.gateway.session;

/** A token bucket: so many publishes a second, one second's worth at once. Bound to one loop. */
final class PublishBudget {
  private static final double NANOS = 1e9;

  private final int perSecond;
  private double left;
  private long lastNs;

  PublishBudget(int perSecond, long nowNs) {
    this.perSecond = perSecond;
    this.left = perSecond;
    this.lastNs = nowNs;
  }

  /** Takes one, if there is one. */
  boolean take(long nowNs) {
    left = Math.min(perSecond, left + (nowNs - lastNs) / NANOS * perSecond);
    lastNs = nowNs;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
