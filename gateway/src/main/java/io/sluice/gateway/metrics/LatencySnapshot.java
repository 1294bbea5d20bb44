package io.sluice.gateway.metrics;

import java.util.List;
import java.util.Map;

/**
 * What one latency looks like at one moment. Immutable, for any thread.
 *
 * @param count latencies since the start
 * @param sumSeconds their sum since the start
 * @param quantileSeconds the values at {@link #QUANTILES} over the window; NaN if it is empty
 * @param maxSeconds the largest over the window per loop; the key is empty where loops are not told
 *     apart
 */
record LatencySnapshot(
    long count, double sumSeconds, List<Double> quantileSeconds, Map<String, Double> maxSeconds) {
  static final List<Double> QUANTILES = List.of(0.5, 0.95, 0.99, 0.999);

  /** The largest of all loops. */
  double overallMaxSeconds() {
    return maxSeconds.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }
}
