package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;

/**
 * Metric in two measurements with its difference. Immutable, for any thread.
 *
 * @param isTime whether the metric is a latency in milliseconds; otherwise it is CPU time per frame
 *     in microseconds
 * @param baseline mean in the baseline
 * @param candidate mean in the candidate
 * @param interval confidence interval of 95 % for the candidate's mean minus the baseline's
 * @param pValue p-value of the difference, corrected for all compared metrics
 */
public record Difference(
    String metric,
    boolean isTime,
    double baseline,
    double candidate,
    Interval interval,
    double pValue) {

  /** Returns the verdict, corrected for all compared metrics. */
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

  /** Result of the comparison of a metric between two measurements. */
  public enum Verdict {
    /** The metric is significantly lower. */
    LOWER,
    /** The metric is significantly higher. */
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
