package io.sluice.loadtest.plan;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Capacity for a workload, estimated from measured capacities: that of the workload itself, or
 * those of its two neighbours, the lighter one first. Immutable, for any thread.
 */
record CapacityEstimate(ClientWorkload workload, List<Capacity> capacities) {
  private static final List<ToDoubleFunction<ClientWorkload>> DIMENSIONS =
      List.of(ClientWorkload::rate, ClientWorkload::payloadBytes, ClientWorkload::topics);

  /**
   * Returns the estimate for a workload.
   *
   * @throws IllegalArgumentException if neither the workload nor both neighbours were measured, or
   *     if the objective is not met with the fewest clients
   */
  static CapacityEstimate of(
      List<StepSeries> allSeries, ClientWorkload workload, double p99Millis) {
    CapacityEstimate estimate =
        new CapacityEstimate(
            workload,
            around(allSeries, workload).stream()
                .map(series -> series.capacity(p99Millis))
                .toList());
    if (estimate.limitClients() <= estimate.clients()) {
      throw new IllegalArgumentException(
          "the measurements are inconsistent: a node serves %s clients by one neighbour of %s, but"
                  .formatted(Text.number(estimate.clients()), workload.toText())
              + " violates the objective with %s by the other: repeat them, longer or with more runs"
                  .formatted(Text.number(estimate.limitClients())));
    }
    return estimate;
  }

  /**
   * Returns the minimum capacity in clients: as many as with the heavier workload, or as many
   * frames per second as with either neighbour.
   */
  double clients() {
    double frames = capacities.stream().mapToDouble(Capacity::frames).min().orElse(0);
    return Math.max(heavier().clients(), frames / workload.rate());
  }

  /**
   * Returns the number of clients with which the objective is violated, or NaN if unknown. It is
   * the lighter workload's number, or the number with as many frames per second as with both
   * neighbours.
   */
  double limitClients() {
    // The maximum of anything and NaN is NaN.
    double frames = capacities.stream().mapToDouble(Capacity::limitFrames).max().orElse(Double.NaN);
    double lighter = capacities.get(0).limitClients();
    return Double.isNaN(frames) ? lighter : Math.min(lighter, frames / workload.rate());
  }

  private Capacity heavier() {
    return capacities.get(capacities.size() - 1);
  }

  boolean isBetween() {
    return capacities.size() > 1;
  }

  private static List<StepSeries> around(List<StepSeries> allSeries, ClientWorkload workload) {
    for (StepSeries series : allSeries) {
      if (series.workload().equals(workload)) {
        return List.of(series);
      }
    }
    for (int i = 0; i < DIMENSIONS.size(); i++) {
      List<StepSeries> estimate = around(allSeries, workload, i);
      if (!estimate.isEmpty()) {
        return estimate;
      }
    }
    throw new IllegalArgumentException(
        "neither %s was measured, nor both neighbours that differ in only one of the three figures;"
                .formatted(workload.toText())
            + " measured: "
            + allSeries.stream().map(l -> l.workload().toText()).collect(Collectors.joining("; ")));
  }

  /**
   * Returns the nearest series on both sides in one dimension, with the other dimensions equal, or
   * an empty list.
   */
  private static List<StepSeries> around(
      List<StepSeries> allSeries, ClientWorkload workload, int dimension) {
    ToDoubleFunction<ClientWorkload> along = DIMENSIONS.get(dimension);
    double value = along.applyAsDouble(workload);
    Comparator<StepSeries> ascending =
        Comparator.comparingDouble(series -> along.applyAsDouble(series.workload()));
    List<StepSeries> candidates =
        allSeries.stream().filter(l -> isEqualExcept(l.workload(), workload, dimension)).toList();
    StepSeries below =
        candidates.stream()
            .filter(series -> along.applyAsDouble(series.workload()) < value)
            .max(ascending)
            .orElse(null);
    StepSeries above =
        candidates.stream()
            .filter(series -> along.applyAsDouble(series.workload()) > value)
            .min(ascending)
            .orElse(null);
    return below == null || above == null ? List.of() : List.of(below, above);
  }

  private static boolean isEqualExcept(ClientWorkload a, ClientWorkload b, int except) {
    for (int i = 0; i < DIMENSIONS.size(); i++) {
      ToDoubleFunction<ClientWorkload> dimension = DIMENSIONS.get(i);
      if (i != except && dimension.applyAsDouble(a) != dimension.applyAsDouble(b)) {
        return false;
      }
    }
    return true;
  }
}
