package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Mean, percentile or maximum of one client's latencies. Immutable, for any thread. */
public enum LatencyMetric {
  /** The arithmetic mean. */
  MEAN("mean", 0, Latencies::mean),
  /** Median. */
  P50("p50", 20, Latencies::p50),
  /** 95th percentile. */
  P95("p95", 200, Latencies::p95),
  /** 99th percentile. */
  P99("p99", 1000, Latencies::p99),
  /** 99.9th percentile. */
  P999("p99.9", 10_000, Latencies::p999),
  /** Maximum. */
  MAX("max", 0, Latencies::max);

  private final String label;
  private final int minMessages;
  private final ToDoubleFunction<Latencies> micros;

  LatencyMetric(String label, int minMessages, ToDoubleFunction<Latencies> micros) {
    this.label = label;
    this.minMessages = minMessages;
    this.micros = micros;
  }

  /** Returns the label, such as {@code p99.9}. */
  public String label() {
    return label;
  }

  /**
   * Returns the number of messages below which a percentile is uncertain: ten messages are expected
   * beyond it with 10 / (1 - p) messages.
   */
  public int minMessages() {
    return minMessages;
  }

  /**
   * Returns the warning about percentiles with too few figures.
   *
   * @param figures number of latencies from which a percentile is calculated
   * @param place such as {@code a client's messages}
   * @return one sentence, or an empty string
   */
  public static String warning(long figures, String place) {
    String few =
        Arrays.stream(values())
            .filter(metric -> figures < metric.minMessages)
            .map(metric -> String.format(Locale.ROOT, "%s (%,d)", metric.label, metric.minMessages))
            .collect(Collectors.joining(", "));
    return few.isEmpty()
        ? ""
        : String.format(
            Locale.ROOT, "Too few for their percentiles are %s, %,d: %s.", place, figures, few);
  }

  /** Returns the value in milliseconds. */
  public double millis(Latencies latencies) {
    return micros.applyAsDouble(latencies) / 1000;
  }
}
