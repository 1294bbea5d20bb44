package io.sluice.loadtest.plan;

import io.sluice.loadtest.report.GatewayUse;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.LinearFit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What a node uses under a load, by straight lines through what was measured. */
final class Use {
  private static final double MEGABYTE = 1e6;

  private final Sides sides;

  Use(Sides sides) {
    this.sides = sides;
  }

  /** CPU of a node with so many clients. */
  Answer cpu(double clients) {
    return predict(
        "CPU of a node",
        "cores",
        "frames/s",
        clients * sides.workload().rate(),
        GatewayUse::frames,
        GatewayUse::cores);
  }

  /** Memory of a node with so many clients: its process and its heap, as far as they were told. */
  List<Answer> memory(double clients) {
    List<Answer> answers = new ArrayList<>();
    answers.add(memory("memory of a node", clients, GatewayUse::memoryBytes));
    answers.add(memory("heap of a node in use, at most", clients, GatewayUse::heapBytes));
    return answers;
  }

  private Answer memory(String what, double clients, ToDoubleFunction<GatewayUse> bytes) {
    ToDoubleFunction<GatewayUse> megabytes = use -> bytes.applyAsDouble(use) / MEGABYTE;
    return predict(what, "MB", "clients", clients, GatewayUse::clients, megabytes);
  }

  /** What a message has on the wire beside its payload, one sample a run; maybe empty. */
  double[] overheadBytes() {
    return sides.capacities().stream()
        .flatMapToDouble(
            capacity ->
                capacity.ladder().uses(capacity.clients()).stream()
                    .filter(use -> use.bytes() > 0 && use.frames() > 0)
                    .mapToDouble(use -> use.bytes() / use.frames())
                    .map(bytes -> bytes - capacity.ladder().workload().payloadBytes()))
        .toArray();
  }

  /** Between two workloads: the range that holds both their predictions. */
  private Answer predict(
      String what,
      String unit,
      String xUnit,
      double at,
      ToDoubleFunction<GatewayUse> x,
      ToDoubleFunction<GatewayUse> y) {
    List<Interval> intervals = new ArrayList<>();
    for (Capacity capacity : sides.capacities()) {
      List<GatewayUse> uses =
          capacity.ladder().uses(capacity.clients()).stream()
              .filter(use -> x.applyAsDouble(use) > 0 && y.applyAsDouble(use) > 0)
              .toList();
      double[] xs = uses.stream().mapToDouble(x).toArray();
      double[] ys = uses.stream().mapToDouble(y).toArray();
      String refusal = refusal(xs, at, xUnit);
      if (!refusal.isEmpty()) {
        return Answer.unknown(what, refusal);
      }
      intervals.add(LinearFit.of(xs, ys).predict(at));
    }
    Interval all =
        new Interval(
            intervals.stream().mapToDouble(Interval::estimate).max().orElse(Double.NaN),
            intervals.stream().mapToDouble(Interval::low).min().orElse(Double.NaN),
            intervals.stream().mapToDouble(Interval::high).max().orElse(Double.NaN),
            intervals.size());
    return Answer.of(
        what,
        unit,
        all,
        "a line over %s, at %s; 95 %% prediction interval"
            .formatted(xUnit, Text.number(Math.rint(at))));
  }

  /** Why there is no prediction; empty if there is one. */
  private static String refusal(double[] xs, double at, String unit) {
    long different = Arrays.stream(xs).distinct().count();
    if (xs.length < LinearFit.MIN_POINTS || different < 2) {
      return "fewer than three runs, of two loads or more, that hold the objective and told it";
    }
    double least = Arrays.stream(xs).min().orElse(Double.NaN);
    double most = Arrays.stream(xs).max().orElse(Double.NaN);
    boolean measured = at >= least && at <= most;
    return measured
        ? ""
        : "%s %s lie outside of what was measured, %s to %s"
            .formatted(Text.number(at), unit, Text.number(least), Text.number(most));
  }
}
