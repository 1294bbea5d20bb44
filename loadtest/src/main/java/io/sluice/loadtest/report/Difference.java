package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;

/**
 * Metric in two measurements with its difference. Immutable, for any thread.
 *
 * @param isTime whether the metric is a latency in milliseconds; otherwise it is CPU time per frame
 *     in microseconds
 * @param baseline mean in the baseline; geometric if {@code isRatio}
 * @param candidate mean in the candidate; geometric if {@code isRatio}
 * @param interval confidence interval of 95 % for the candidate's mean minus the baseline's, or for
 *     their ratio minus 1
 * @param isRatio whether the interval is that of the ratio
 * @param pValue p-value of the difference, corrected for all compared metrics
 * @param isConclusive whether the samples allow a verdict
 * @param sameMachine interval of the same metric in an A/A test of the machine, or null
 */
public record Difference(
    String metric,
    boolean isTime,
    double baseline,
    double candidate,
    Interval interval,
    boolean isRatio,
    double pValue,
    boolean isConclusive,
    Interval sameMachine) {

  Difference withPValue(double corrected) {
    return new Difference(
        metric,
        isTime,
        baseline,
        candidate,
        interval,
        isRatio,
        corrected,
        isConclusive,
        sameMachine);
  }

  Difference withSameMachine(Interval ofMachine) {
    return new Difference(
        metric, isTime, baseline, candidate, interval, isRatio, pValue, isConclusive, ofMachine);
  }

  /** Returns the relative difference: 0.1 if the candidate is 10 % higher. */
  double relative() {
    return isRatio ? interval.estimate() : interval.estimate() / baseline;
  }

  /** Returns the verdict, corrected for all compared metrics. */
  public Verdict verdict() {
    return isConclusive ? Verdict.of(interval.estimate(), pValue) : Verdict.NONE;
  }

  /** Returns the verdict as text. */
  String verdictText() {
    return switch (verdict()) {
      case LOWER -> isTime ? "faster" : "cheaper";
      case HIGHER -> isTime ? "slower" : "more expensive";
      case NOT_SHOWN -> "no significant difference";
      case NONE -> "none";
    };
  }

  /** Result of the comparison of a metric between two measurements. */
  public enum Verdict {
    /** The metric is significantly lower. */
    LOWER,
    /** The metric is significantly higher. */
    HIGHER,
    /** The difference is not significant. */
    NOT_SHOWN,
    /** The samples allow no verdict about further processes. */
    NONE;

    static Verdict of(double difference, double pValue) {
      if (pValue > 1 - Intervals.LEVEL) {
        return NOT_SHOWN;
      }
      return difference < 0 ? LOWER : HIGHER;
    }
  }
}
