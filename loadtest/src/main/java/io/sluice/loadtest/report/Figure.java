package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import java.util.function.ToDoubleFunction;

/** A figure of one client's latencies, in milliseconds. */
public enum Figure {
  /** The arithmetic mean. */
  MEAN("mean", Latencies::mean),
  /** Half of the messages were faster. */
  P50("p50", Latencies::p50),
  /** 95 of a hundred were faster. */
  P95("p95", Latencies::p95),
  /** 99 of a hundred were faster. */
  P99("p99", Latencies::p99),
  /** 999 of a thousand were faster. */
  P999("p99.9", Latencies::p999),
  /** The slowest message. */
  MAX("max", Latencies::max);

  private final String label;
  private final ToDoubleFunction<Latencies> micros;

  Figure(String label, ToDoubleFunction<Latencies> micros) {
    this.label = label;
    this.micros = micros;
  }

  /** What people call it, such as {@code p99.9}. */
  public String label() {
    return label;
  }

  /** The figure of these latencies, in milliseconds. */
  public double millis(Latencies latencies) {
    return micros.applyAsDouble(latencies) / 1000;
  }
}
