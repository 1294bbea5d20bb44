package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import java.util.function.ToDoubleFunction;

/** Mean, percentile or maximum of one client's latencies. Immutable, for any thread. */
public enum LatencyMetric {
  /** The arithmetic mean. */
  MEAN("mean", Latencies::mean),
  /** Median. */
  P50("p50", Latencies::p50),
  /** 95th percentile. */
  P95("p95", Latencies::p95),
  /** 99th percentile. */
  P99("p99", Latencies::p99),
  /** 99.9th percentile. */
  P999("p99.9", Latencies::p999),
  /** Maximum. */
  MAX("max", Latencies::max);

  private final String label;
  private final ToDoubleFunction<Latencies> micros;

  LatencyMetric(String label, ToDoubleFunction<Latencies> micros) {
    this.label = label;
    this.micros = micros;
  }

  /** Returns the label, such as {@code p99.9}. */
  public String label() {
    return label;
  }

  /** Returns the value in milliseconds. */
  public double millis(Latencies latencies) {
    return micros.applyAsDouble(latencies) / 1000;
  }
}
