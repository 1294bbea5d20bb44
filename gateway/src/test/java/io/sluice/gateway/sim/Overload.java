package io.sluice.gateway.sim;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import java.time.Duration;
import java.util.List;

/**
 * Overload settings of a {@link Climate#OVERLOADED} world.
 *
 * @param backlogMean microseconds between two backlogs; 0 for none
 * @param backlogMost microseconds for which one grows
 * @param stretch how much more slowly messages arrive than they are accepted meanwhile, in percent
 * @param sequencerLag most microseconds by which the sequencer is late
 * @param ingressQueue messages that may wait for the sequencer
 * @param starvation microseconds for which no message of a backlog may arrive, once one has
 */
record Overload(
    long backlogMean,
    long backlogMost,
    int stretch,
    long sequencerLag,
    int ingressQueue,
    long starvation) {
  private static final int NO_STRETCH = 100;

  /** Two rounds and the canaries' own delay. */
  private static final long HOLD_MARGIN_MS = 1_000;

  static Overload none() {
    return new Overload(0, 0, NO_STRETCH, 0, 0, 0);
  }

  static Overload drawn(Chance chance) {
    return new Overload(
        chance.between(1, 8) * Plan.SECOND,
        chance.between(2, 20) * Plan.SECOND,
        chance.of(List.of(120, 150, 175, 195)),
        chance.of(List.of(Plan.MILLI, 50 * Plan.MILLI, 2 * Plan.SECOND)),
        chance.of(List.of(16, 64, 16_384)),
        chance.of(List.of(0L, 500 * Plan.MILLI, 5 * Plan.SECOND)));
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
