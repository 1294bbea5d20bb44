package io.sluice.loadtest.broker.result;

import org.HdrHistogram.Histogram;

/** Mean and percentiles of durations in microseconds. Immutable, for any thread. */
public record DurationSummary(
    long count, double mean, double p50, double p95, double p99, double p999, double max) {
  private static final double NANOS = 1000;

  /** Returns the summary of a histogram of nanoseconds, or null if it is empty. */
  public static DurationSummary of(Histogram nanos) {
    return nanos == null || nanos.getTotalCount() == 0
        ? null
        : new DurationSummary(
            nanos.getTotalCount(),
            nanos.getMean() / NANOS,
            nanos.getValueAtPercentile(50) / NANOS,
            nanos.getValueAtPercentile(95) / NANOS,
            nanos.getValueAtPercentile(99) / NANOS,
            nanos.getValueAtPercentile(99.9) / NANOS,
            nanos.getMaxValue() / NANOS);
  }

  /** Returns the sum of all durations. */
  double sum() {
    return mean * count;
  }
}
