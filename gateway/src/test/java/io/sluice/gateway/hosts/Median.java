package io.sluice.gateway.hosts;

import java.util.List;

/** The middle one. Stateless. */
final class Median {
  private Median() {}

  /** Of one value at least; of an even number of them, the mean of the middle two. */
  static double of(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
