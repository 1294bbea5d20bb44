package io.sluice.gateway.sim;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import java.time.Duration;
import java.util.List;

/**
 * Overload settings of a {@link Climate#OVERLOADED} world.
 *
 * @param backlogMean mean microseconds between two backlogs; 0 for none
 * @param backlogMax maximum microseconds for which a backlog grows
 * @param stretch arrival intervals in percent of the acceptance intervals during a backlog
 * @param sequencerLag maximum lag of the sequencer in microseconds
 * @param ingressQueue maximum number of messages that wait for the sequencer
 * @param starvation microseconds without arrivals after a message of a backlog
 * @param urgent whether the messages of every other publisher overtake backlogs
 */
record Overload(
    long backlogMean,
    long backlogMax,
    int stretch,
    long sequencerLag,
    int ingressQueue,
    long starvation,
    boolean urgent) {
  private static final int NO_STRETCH = 100;
  static final int DEFAULT_PRIORITY = 4;
  private static final int HIGHEST_PRIORITY = 9;

  /** Two rounds plus the delay of the canaries. */
  private static final long HOLD_MARGIN_MS = 1_000;

  static Overload none() {
    return new Overload(0, 0, NO_STRETCH, 0, 0, 0, false);
  }

  /**
   * @param separate another random sequence, so that the others keep their seeds
   */
  static Overload drawn(SeededRandom random, SeededRandom separate) {
    return new Overload(
        random.between(1, 8) * Plan.SECOND,
        random.between(2, 20) * Plan.SECOND,
        random.of(List.of(120, 150, 175, 195)),
        random.of(List.of(Plan.MILLI, 50 * Plan.MILLI, 2 * Plan.SECOND)),
        random.of(List.of(16, 64, 16_384)),
        random.of(List.of(0L, 500 * Plan.MILLI, 5 * Plan.SECOND)),
        separate.oneIn(2));
  }

  /** Returns the JMS priority of the messages of a publisher. */
  int priority(int publisher) {
    return urgent && publisher % 2 == 0 ? HIGHEST_PRIORITY : DEFAULT_PRIORITY;
  }

  boolean isNone() {
    return backlogMean == 0;
  }

  Config config(Config config, boolean holds) {
    long holdMs = holds ? starvation / Plan.MILLI + HOLD_MARGIN_MS : 0;
    return isNone()
        ? config
        : config
            .with(LimitSettings.INGRESS_QUEUE, ingressQueue)
            .with(BrokerSettings.CONGESTION_HOLD, Duration.ofMillis(holdMs));
  }
}
