package io.sluice.gateway.hosts;

import java.util.List;

/** Median. Stateless. */
final class Median {
  private Median() {}

  /**
   * Returns the median of at least one value; for an even number of values, the mean of the middle
   * two.
   */
  static double of(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
