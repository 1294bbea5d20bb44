package io.sluice.loadtest.plan;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The capacities from which that for a workload follows: of the workload itself, or of its two
 * neighbours, the lighter one first. Immutable.
 */
record Sides(ClientWorkload workload, List<Capacity> capacities) {
  private static final List<ToDoubleFunction<ClientWorkload>> DIMENSIONS =
      List.of(ClientWorkload::rate, ClientWorkload::payloadBytes, ClientWorkload::topics);

  /**
   * Finds them.
   *
   * @throws IllegalArgumentException if neither the workload nor both sides of it were measured, or
   *     the objective does not hold with the fewest clients
   */
  static Sides of(List<Ladder> ladders, ClientWorkload workload, double p99Millis) {
    Sides sides =
        new Sides(
            workload,
            around(ladders, workload).stream().map(ladder -> ladder.capacity(p99Millis)).toList());
    if (sides.breaksAt() <= sides.clients()) {
      throw new IllegalArgumentException(
          "the measurements contradict each other: a node carries %s clients by one side of %s, but"
                  .formatted(Text.number(sides.clients()), workload.toText())
              + " breaks with %s by the other: measure again, longer or with more runs"
                  .formatted(Text.number(sides.breaksAt())));
    }
    return sides;
  }

  /**
   * Clients that a node carries at least: as many as with the heavier workload, or as many frames a
   * second as on either side.
   */
  double clients() {
    double frames = capacities.stream().mapToDouble(Capacity::frames).min().orElse(0);
    return Math.max(heavier().clients(), frames / workload.rate());
  }

  /**
   * Clients that it can't carry: those that break it with the lighter workload, or as many frames a
   * second as break it on both sides; NaN if nobody knows.
   */
  double breaksAt() {
    // The maximum of anything and NaN is NaN.
    double frames =
        capacities.stream().mapToDouble(Capacity::breaksAtFrames).max().orElse(Double.NaN);
    double lighter = capacities.get(0).breaksAt();
    return Double.isNaN(frames) ? lighter : Math.min(lighter, frames / workload.rate());
  }

  private Capacity heavier() {
    return capacities.get(capacities.size() - 1);
  }

  boolean isBetween() {
    return capacities.size() > 1;
  }

  private static List<Ladder> around(List<Ladder> ladders, ClientWorkload workload) {
    for (Ladder ladder : ladders) {
      if (ladder.workload().equals(workload)) {
        return List.of(ladder);
      }
    }
    for (int i = 0; i < DIMENSIONS.size(); i++) {
      List<Ladder> sides = around(ladders, workload, i);
      if (!sides.isEmpty()) {
        return sides;
      }
    }
    throw new IllegalArgumentException(
        "neither %s was measured, nor both sides of it with all but one of the three the same;"
                .formatted(workload.toText())
            + " measured: "
            + ladders.stream().map(l -> l.workload().toText()).collect(Collectors.joining("; ")));
  }

  /** The nearest ladder on either side along a dimension, with all else the same; or none. */
  private static List<Ladder> around(List<Ladder> ladders, ClientWorkload workload, int dimension) {
    ToDoubleFunction<ClientWorkload> along = DIMENSIONS.get(dimension);
    double at = along.applyAsDouble(workload);
    Comparator<Ladder> rising =
        Comparator.comparingDouble(ladder -> along.applyAsDouble(ladder.workload()));
    List<Ladder> alike =
        ladders.stream().filter(l -> isAlike(l.workload(), workload, dimension)).toList();
    Ladder below =
        alike.stream()
            .filter(ladder -> along.applyAsDouble(ladder.workload()) < at)
            .max(rising)
            .orElse(null);
    Ladder above =
        alike.stream()
            .filter(ladder -> along.applyAsDouble(ladder.workload()) > at)
            .min(rising)
            .orElse(null);
    return below == null || above == null ? List.of() : List.of(below, above);
  }

  private static boolean isAlike(ClientWorkload a, ClientWorkload b, int except) {
    for (int i = 0; i < DIMENSIONS.size(); i++) {
      ToDoubleFunction<ClientWorkload> dimension = DIMENSIONS.get(i);
      if (i != except && dimension.applyAsDouble(a) != dimension.applyAsDouble(b)) {
        return false;
      }
    }
    return true;
  }
}
