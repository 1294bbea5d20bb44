package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;

/**
 * A figure in two measurements. Immutable.
 *
 * @param isTime whether the figure is a latency in milliseconds, so that less is faster; otherwise
 *     CPU time a frame in microseconds
 * @param earlier its mean in the earlier measurement
 * @param later its mean in the later one
 * @param interval of the later mean minus the earlier one, 95 %, of this figure alone
 * @param chance the probability that chance alone explains the difference, corrected for all
 *     figures that are compared
 */
public record Difference(
    String figure, boolean isTime, double earlier, double later, Interval interval, double chance) {

  /** What can be said of it, all figures that are compared taken together. */
  public Verdict verdict() {
    return Verdict.of(interval.estimate(), chance);
  }

  /** In words. */
  String verdictText() {
    return switch (verdict()) {
      case LOWER -> isTime ? "faster" : "cheaper";
      case HIGHER -> isTime ? "slower" : "dearer";
      case NOT_SHOWN -> "no difference shown";
    };
  }

  /** Result of the comparison of a figure between two measurements. */
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
}
