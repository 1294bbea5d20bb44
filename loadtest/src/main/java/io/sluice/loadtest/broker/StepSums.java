package io.sluice.loadtest.broker;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The times of all producers and consumers of a run. For one thread. */
final class StepSums {
  private final Map<Step, Histogram> sums = new EnumMap<>(Step.class);

  /** Forgets what was timed so far: it belongs to the warm-up. */
  void skip(Producers producers, Receivers receivers) {
    take(producers, receivers);
    sums.clear();
  }

  /** Adds what was timed since the last call. */
  void take(Producers producers, Receivers receivers) {
    add(recent(producers, receivers));
  }

  /** The same; answers the latencies of what was added, or null. */
  Figures takeLatency(Producers producers, Receivers receivers) {
    Map<Step, Histogram> recent = recent(producers, receivers);
    add(recent);
    return Figures.of(recent.get(Step.LATENCY));
  }

  Map<Step, Figures> figures() {
    Map<Step, Figures> figures = new EnumMap<>(Step.class);
    sums.forEach((step, histogram) -> figures.put(step, Figures.of(histogram)));
    return figures;
  }

  private static Map<Step, Histogram> recent(Producers producers, Receivers receivers) {
    Map<Step, Histogram> recent = new EnumMap<>(Step.class);
    producers.moveTimesTo(recent);
    receivers.moveTimesTo(recent);
    return recent;
  }

  private void add(Map<Step, Histogram> recent) {
    recent.forEach((step, histogram) -> sums.merge(step, histogram, StepSums::added));
  }

  private static Histogram added(Histogram sum, Histogram more) {
    sum.add(more);
    return sum;
  }
}
