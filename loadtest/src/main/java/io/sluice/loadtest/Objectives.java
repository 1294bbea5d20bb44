package io.sluice.loadtest;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Limits of latencies since the messages were sent, each for the mean over the clients of a run.
 * Immutable.
 *
 * @param limitsMillis by the figure's name; one without a limit is not here
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

  /** Those that were given, in ms; 0, the default, is no limit. */
  static Objectives of(Parameters given) {
    Map<String, Double> limits = new LinkedHashMap<>();
    add(limits, "mean", given.decimal("maxMean", 0, 0));
    add(limits, "p50", given.decimal("maxP50", 0, 0));
    add(limits, "p95", given.decimal("maxP95", 0, 0));
    add(limits, "p99", given.decimal("maxP99", 0, 0));
    add(limits, "p99.9", given.decimal("maxP999", 0, 0));
    return new Objectives(limits);
  }

  /** A figure of a run in ms, the mean over its clients. */
  static double millis(MeasuredRun run, String figure) {
    return run.clients().stream()
            .map(ClientResult::sinceSent)
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
