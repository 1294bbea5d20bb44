package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.DurationSummary;
import io.sluice.loadtest.broker.result.MessageStep;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Durations of all producers and consumers of a run. For one thread. */
final class StepSums {
  private final Map<MessageStep, Histogram> sums = new EnumMap<>(MessageStep.class);

  /** Discards the durations recorded so far, which belong to the warm-up. */
  void discard(Producers producers, Receivers receivers) {
    addRecent(producers, receivers);
    sums.clear();
  }

  /** Adds the durations recorded since the last call. */
  void addRecent(Producers producers, Receivers receivers) {
    add(recent(producers, receivers));
  }

  /**
   * Adds the durations recorded since the last call.
   *
   * @return their latencies, or null
   */
  DurationSummary addLatency(Producers producers, Receivers receivers) {
    Map<MessageStep, Histogram> recent = recent(producers, receivers);
    add(recent);
    return DurationSummary.of(recent.get(MessageStep.LATENCY));
  }

  Map<MessageStep, DurationSummary> figures() {
    Map<MessageStep, DurationSummary> figures = new EnumMap<>(MessageStep.class);
    sums.forEach((step, histogram) -> figures.put(step, DurationSummary.of(histogram)));
    return figures;
  }

  private static Map<MessageStep, Histogram> recent(Producers producers, Receivers receivers) {
    Map<MessageStep, Histogram> recent = new EnumMap<>(MessageStep.class);
    producers.moveTimesTo(recent);
    receivers.moveTimesTo(recent);
    return recent;
  }

  private void add(Map<MessageStep, Histogram> recent) {
    recent.forEach((step, histogram) -> sums.merge(step, histogram, StepSums::added));
  }

  private static Histogram added(Histogram sum, Histogram more) {
    sum.add(more);
    return sum;
  }
}
