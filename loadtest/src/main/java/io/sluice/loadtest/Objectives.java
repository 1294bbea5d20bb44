package io.sluice.loadtest;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Limits of the latency since the due time, each for the mean over a run's clients. Immutable, for
 * any thread.
 *
 * @param limitsMillis by the figure's name; figures without a limit are absent
 */
record Objectives(Map<String, Double> limitsMillis) {
  private static final double MICROS_PER_MILLI = 1000;
  private static final Map<String, ToDoubleFunction<Latencies>> FIGURES =
      Map.of(
          "mean", Latencies::mean,
          "p50", Latencies::p50,
          "p95", Latencies::p95,
          "p99", Latencies::p99,
          "p99.9", Latencies::p999);

  /** Returns the limits given as parameters, in ms. The default 0 means no limit. */
  static Objectives of(Parameters given) {
    Map<String, Double> limits = new LinkedHashMap<>();
    add(limits, "mean", given.decimal("maxMean", 0, 0));
    add(limits, "p50", given.decimal("maxP50", 0, 0));
    add(limits, "p95", given.decimal("maxP95", 0, 0));
    add(limits, "p99", given.decimal("maxP99", 0, 0));
    add(limits, "p99.9", given.decimal("maxP999", 0, 0));
    return new Objectives(limits);
  }

  /** Returns a figure of a run in ms, as the mean over its clients. */
  static double millis(MeasuredRun run, String figure) {
    return run.clients().stream()
            .map(ClientResult::sinceDue)
            .mapToDouble(FIGURES.get(figure))
            .average()
            .orElseThrow()
        / MICROS_PER_MILLI;
  }

  private static void add(Map<String, Double> limits, String figure, double millis) {
    if (millis > 0) {
      limits.put(figure, millis);
    }
  }
}
