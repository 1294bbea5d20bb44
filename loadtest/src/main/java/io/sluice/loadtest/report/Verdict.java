package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Intervals;

/** What can be said of a figure in the later of two measurements. */
public enum Verdict {
  /** It is shown to be lower. */
  LOWER,
  /** It is shown to be higher. */
  HIGHER,
  /** Chance can explain the difference; there may be one. */
  NOT_SHOWN;

  static Verdict of(double difference, double chance) {
    if (chance > 1 - Intervals.LEVEL) {
      return NOT_SHOWN;
    }
    return difference < 0 ? LOWER : HIGHER;
  }
}
