package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.GatewayUsage;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.LinearFit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Prediction of a node's CPU and memory by linear regression over measured runs. Immutable, for any
 * thread.
 */
final class ResourcePrediction {
  private static final double MEGABYTE = 1e6;

  private final CapacityEstimate estimate;

  ResourcePrediction(CapacityEstimate estimate) {
    this.estimate = estimate;
  }

  /** Returns the CPU usage of a node with a number of clients. */
  PlannedFigure cpu(double clients) {
    return predict(
        "CPU per node",
        "cores",
        "frames/s",
        clients * estimate.workload().rate(),
        GatewayUsage::frames,
        GatewayUsage::cores);
  }

  /** Returns the memory usage of a node with a number of clients: process and heap, if known. */
  List<PlannedFigure> memory(double clients) {
    List<PlannedFigure> answers = new ArrayList<>();
    answers.add(memory("memory per node", clients, GatewayUsage::memoryBytes));
    answers.add(memory("heap in use per node, maximum", clients, GatewayUsage::heapBytes));
    return answers;
  }

  private PlannedFigure memory(String name, double clients, ToDoubleFunction<GatewayUsage> bytes) {
    ToDoubleFunction<GatewayUsage> megabytes = use -> bytes.applyAsDouble(use) / MEGABYTE;
    return predict(name, "MB", "clients", clients, GatewayUsage::clients, megabytes);
  }

  /**
   * Returns the bytes of a message on the wire in addition to its payload, one sample per run; may
   * be empty.
   */
  double[] overheadBytes() {
    return estimate.capacities().stream()
        .flatMapToDouble(
            capacity ->
                capacity.series().usages(capacity.clients()).stream()
                    .filter(use -> use.bytes() > 0 && use.frames() > 0)
                    .mapToDouble(use -> use.bytes() / use.frames())
                    .map(bytes -> bytes - capacity.series().workload().payloadBytes()))
        .toArray();
  }

  /** Returns a prediction. Between two workloads, its range covers the predictions of both. */
  private PlannedFigure predict(
      String name,
      String unit,
      String xUnit,
      double at,
      ToDoubleFunction<GatewayUsage> x,
      ToDoubleFunction<GatewayUsage> y) {
    List<Interval> intervals = new ArrayList<>();
    for (Capacity capacity : estimate.capacities()) {
      List<GatewayUsage> usages =
          capacity.series().usages(capacity.clients()).stream()
              .filter(use -> x.applyAsDouble(use) > 0 && y.applyAsDouble(use) > 0)
              .toList();
      double[] xs = usages.stream().mapToDouble(x).toArray();
      double[] ys = usages.stream().mapToDouble(y).toArray();
      String missingData = missingData(xs, at, xUnit);
      if (!missingData.isEmpty()) {
        return PlannedFigure.unknown(name, missingData);
      }
      intervals.add(LinearFit.of(xs, ys).predict(at));
    }
    Interval all =
        new Interval(
            intervals.stream().mapToDouble(Interval::estimate).max().orElse(Double.NaN),
            intervals.stream().mapToDouble(Interval::low).min().orElse(Double.NaN),
            intervals.stream().mapToDouble(Interval::high).max().orElse(Double.NaN),
            intervals.size());
    return PlannedFigure.of(
        name,
        unit,
        all,
        "linear regression over %s, at %s; 95 %% prediction interval"
            .formatted(xUnit, Text.number(Math.rint(at))));
  }

  /** Returns the reason why a prediction is impossible, or an empty string. */
  private static String missingData(double[] xs, double at, String unit) {
    long different = Arrays.stream(xs).distinct().count();
    if (xs.length < LinearFit.MIN_POINTS || different < 2) {
      return "requires at least three runs with at least two loads that meet the objective and"
          + " contain the figure";
    }
    double min = Arrays.stream(xs).min().orElse(Double.NaN);
    double max = Arrays.stream(xs).max().orElse(Double.NaN);
    boolean measured = at >= min && at <= max;
    return measured
        ? ""
        : "%s %s are outside of the measured range, %s to %s"
            .formatted(Text.number(at), unit, Text.number(min), Text.number(max));
  }
}
