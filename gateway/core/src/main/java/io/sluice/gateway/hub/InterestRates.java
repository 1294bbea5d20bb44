package io.sluice.gateway.hub;

import io.sluice.gateway.history.LogFigures;

/**
 * Rates of an interest: the difference of its log's counters to a sample that is 5 to 10 s old.
 * Bound to the control thread.
 */
final class InterestRates {
  /** Minimum time between two samples. */
  static final long SAMPLE_MS = 5_000;

  private static final double MS_PER_SECOND = 1_000;

  private Sample earlier;
  private Sample later;

  private record Sample(long timeMs, long messages, long bytes) {}

  /** Rates per second. */
  record Rates(double messages, double bytes) {}

  InterestRates(long nowMs) {
    this.earlier = new Sample(nowMs, 0, 0);
    this.later = earlier;
  }

  /** Returns whether a sample is due. */
  boolean isDue(long nowMs) {
    return nowMs - later.timeMs >= SAMPLE_MS;
  }

  /** Adds a sample that is due. */
  void add(long nowMs, LogFigures log) {
    earlier = later;
    later = new Sample(nowMs, log.messages(), log.messageBytes());
  }

  /** Returns the rates since the earlier sample. */
  Rates rates(long nowMs, LogFigures log) {
    double seconds = Math.max(1, nowMs - earlier.timeMs) / MS_PER_SECOND;
    return new Rates(
        (log.messages() - earlier.messages) / seconds,
        (log.messageBytes() - earlier.bytes) / seconds);
  }
}
