package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;

/**
 * Figure in two measurements with its difference. Immutable, for any thread.
 *
 * @param isTime whether the figure is a latency in milliseconds; otherwise it is CPU time per frame
 *     in microseconds
 * @param earlier mean in the earlier measurement
 * @param later mean in the later measurement
 * @param interval confidence interval of 95 % for the later mean minus the earlier mean
 * @param pValue p-value of the difference, corrected for all compared figures
 */
public record Difference(
    String figure, boolean isTime, double earlier, double later, Interval interval, double pValue) {

  /** Returns the verdict, corrected for all compared figures. */
  public Verdict verdict() {
    return Verdict.of(interval.estimate(), pValue);
  }

  /** Returns the verdict as text. */
  String verdictText() {
    return switch (verdict()) {
      case LOWER -> isTime ? "faster" : "cheaper";
      case HIGHER -> isTime ? "slower" : "more expensive";
      case NOT_SHOWN -> "no significant difference";
    };
  }

  /** Result of the comparison of a figure between two measurements. */
  public enum Verdict {
    /** The figure is significantly lower. */
    LOWER,
    /** The figure is significantly higher. */
    HIGHER,
    /** The difference is not significant. */
    NOT_SHOWN;

    static Verdict of(double difference, double pValue) {
      if (pValue > 1 - Intervals.LEVEL) {
        return NOT_SHOWN;
      }
      return difference < 0 ? LOWER : HIGHER;
    }
  }
}
