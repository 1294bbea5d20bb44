package io.sluice.gateway.broker.provider;

/**
 * Clock of the time in which nodes have checked durable subscriptions. The broker stores its value,
 * which the checks of all nodes advance; this is one node's part of it. Any thread.
 *
 * <p>A check adds the time since the previous one of its node, less the progress by other nodes,
 * and at most one interval. An outage of the broker or of all nodes therefore counts as at most one
 * interval. Only monotonic clocks are read, whose differences between nodes have no effect. The
 * value is never faster than the time, also if a node replaces a later value by an earlier one.
 */
final class ServiceClock {
  /**
   * End of a complete check.
   *
   * @param valueMs value that the check has stored at the broker
   * @param timeNs monotonic time of the check
   */
  private record Check(long valueMs, long timeNs) {}

  private final long intervalMs;

  /** Null before the first check. */
  private volatile Check latest;

  /**
   * Creates a clock without a check.
   *
   * @param intervalMs interval between checks
   */
  ServiceClock(long intervalMs) {
    this.intervalMs = intervalMs;
  }

  /**
   * Returns the value at a check.
   *
   * @param storedMs value at the broker. One of another or restored broker may have any difference
   *     from that of the previous check.
   */
  long valueMs(long storedMs, long nowNs) {
    Check previous = latest;
    if (previous == null) {
      return storedMs;
    }
    long passedMs = Math.min((nowNs - previous.timeNs) / 1_000_000, intervalMs);
    long othersMs = Math.max(0, storedMs - previous.valueMs);
    return storedMs + Math.max(0, passedMs - othersMs);
  }

  /** A check is complete, and its value is stored at the broker. */
  void onChecked(long valueMs, long nowNs) {
    latest = new Check(valueMs, nowNs);
  }
}
