package io.sluice.loadtest.links;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Figures of all subscribers in one measured time. Immutable, for any thread.
 *
 * @param seconds measured time
 * @param messages messages that all subscribers received in it
 * @param subscribers each subscriber, those of the tiers first
 * @param added latency that each tier but the first adds; empty if it was not measured
 */
record LinkFigures(
    double seconds, long messages, List<Received> subscribers, List<Percentiles> added) {
  /**
   * Messages of one subscriber, including the warm-up.
   *
   * @param gaps the first gap frames
   * @param latency of measured messages since they were due
   */
  record Received(
      long messages, long lost, long repeated, List<String> gaps, Percentiles latency) {}

  /** Percentiles in milliseconds; NaN without a message. Immutable. */
  record Percentiles(double p50, double p99) {
    private static final double NANOS = 1e6;

    static Percentiles of(Histogram nanos) {
      return nanos.getTotalCount() == 0
          ? new Percentiles(Double.NaN, Double.NaN)
          : new Percentiles(
              nanos.getValueAtPercentile(50) / NANOS, nanos.getValueAtPercentile(99) / NANOS);
    }
  }

  /** Returns a description of lost, repeated and missing messages, or an empty text. */
  String problems(long sent) {
    StringBuilder problems = new StringBuilder();
    for (Received each : subscribers) {
      if (each.messages() != sent || each.lost() + each.repeated() > 0 || !each.gaps().isEmpty()) {
        problems.append(
            "subscriber %d received %d of %d messages, %d lost, %d repeated, gaps %s; "
                .formatted(
                    subscribers.indexOf(each),
                    each.messages(),
                    sent,
                    each.lost(),
                    each.repeated(),
                    each.gaps()));
      }
    }
    return problems.toString();
  }
}
