package io.sluice.loadtest.broker;

import org.HdrHistogram.Histogram;

/** Times in microseconds. Immutable. */
public record Figures(
    long count, double mean, double p50, double p95, double p99, double p999, double max) {
  private static final double NANOS = 1000;

  /** The figures of nanoseconds; null if there are none. */
  static Figures of(Histogram nanos) {
    return nanos == null || nanos.getTotalCount() == 0
        ? null
        : new Figures(
            nanos.getTotalCount(),
            nanos.getMean() / NANOS,
            nanos.getValueAtPercentile(50) / NANOS,
            nanos.getValueAtPercentile(95) / NANOS,
            nanos.getValueAtPercentile(99) / NANOS,
            nanos.getValueAtPercentile(99.9) / NANOS,
            nanos.getMaxValue() / NANOS);
  }

  /** All of it together. */
  double sum() {
    return mean * count;
  }
}
