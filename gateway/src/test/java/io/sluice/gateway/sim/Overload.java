package io.sluice.gateway.sim;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.util.List;

/**
 * Overload settings of a {@link Climate#OVERLOADED} world.
 *
 * @param backlogMean microseconds between two backlogs; 0 for none
 * @param backlogMost microseconds for which one grows
 * @param stretch how much more slowly messages arrive than they are accepted meanwhile, in percent
 * @param sequencerLag most microseconds by which the sequencer is late
 * @param ingressQueue messages that may wait for the sequencer
 */
record Overload(
    long backlogMean, long backlogMost, int stretch, long sequencerLag, int ingressQueue) {
  private static final int NO_STRETCH = 100;

  static Overload none() {
    return new Overload(0, 0, NO_STRETCH, 0, 0);
  }

  static Overload drawn(Chance chance) {
    return new Overload(
        chance.between(1, 8) * Plan.SECOND,
        chance.between(2, 20) * Plan.SECOND,
        chance.of(List.of(120, 150, 175, 195)),
        chance.of(List.of(Plan.MILLI, 50 * Plan.MILLI, 2 * Plan.SECOND)),
        chance.of(List.of(16, 64, 16_384)));
  }

  boolean isNone() {
    return backlogMean == 0;
  }

  Config config(Config config) {
    return isNone() ? config : config.with(Settings.LIMIT_INGRESS_QUEUE, ingressQueue);
  }
}
