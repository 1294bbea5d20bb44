package io.sluice.loadtest.statistics;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Confidence intervals of 95 % for the mean of independent samples: one figure per client or per
 * run, never one per message. Stateless, for any thread.
 */
public final class Intervals {
  /** Confidence level: probability that an interval contains the true value. */
  public static final double LEVEL = 0.95;

  private static final double UPPER = 1 - (1 - LEVEL) / 2;

  /** 1.96 in double precision. */
  private static final double NORMAL =
      NormalDistribution.of(0, 1).inverseCumulativeProbability(UPPER);

  private Intervals() {}

  /**
   * Returns an interval by the normal distribution, which is too narrow for few samples. It serves
   * for comparison with figures computed this way.
   *
   * @throws IllegalArgumentException for fewer than two samples, or one that is no number
   */
  public static Interval normal(double... samples) {
    return around(samples, NORMAL);
  }

  /**
   * Returns an interval by Student's t distribution. It is exact for normally distributed samples,
   * and approximate for others from about 30 samples on.
   *
   * @throws IllegalArgumentException for fewer than two samples, or one that is no number
   */
  public static Interval student(double... samples) {
    check(samples, 2);
    return around(samples, quantile(samples.length - 1));
  }

  /**
   * Returns the mean of {@code candidate} minus that of {@code baseline}, with Welch's t interval,
   * which does not assume equal variances.
   *
   * @throws IllegalArgumentException for fewer than two samples on a side, or one that is no number
   */
  public static Interval difference(double[] baseline, double[] candidate) {
    check(baseline, 2);
    check(candidate, 2);
    double difference = mean(candidate) - mean(baseline);
    double error = errorOfDifference(baseline, candidate);
    int samples = baseline.length + candidate.length;
    double halfWidth = error == 0 ? 0 : quantile(degreesOfFreedom(baseline, candidate)) * error;
    return Interval.around(difference, halfWidth, samples);
  }

  /**
   * Returns the p-value of the difference between two means by Welch's two-sided test, which
   * matches {@link #difference}.
   *
   * @return from 0 to 1
   * @throws IllegalArgumentException for fewer than two samples on a side, or one that is no number
   */
  public static double pValue(double[] baseline, double[] candidate) {
    check(baseline, 2);
    check(candidate, 2);
    double difference = Math.abs(mean(candidate) - mean(baseline));
    double error = errorOfDifference(baseline, candidate);
    if (error == 0) {
      return difference == 0 ? 1 : 0;
    }
    return 2
        * TDistribution.of(degreesOfFreedom(baseline, candidate))
            .survivalProbability(difference / error);
  }

  private static double errorOfDifference(double[] baseline, double[] candidate) {
    return Math.sqrt(variance(baseline) / baseline.length + variance(candidate) / candidate.length);
  }

  /** Returns the degrees of freedom by Welch and Satterthwaite. */
  private static double degreesOfFreedom(double[] baseline, double[] candidate) {
    double a = variance(baseline) / baseline.length;
    double b = variance(candidate) / candidate.length;
    return (a + b) * (a + b) / (a * a / (baseline.length - 1) + b * b / (candidate.length - 1));
  }

  /**
   * Returns the prediction interval of 95 % for the mean of {@code count} further samples from the
   * same normal distribution.
   *
   * @throws IllegalArgumentException for fewer than two samples, or one that is no number
   */
  public static Interval ofNext(int count, double... samples) {
    check(samples, 2);
    double spread = standardDeviation(samples) * Math.sqrt(1.0 / count + 1.0 / samples.length);
    return Interval.around(mean(samples), quantile(samples.length - 1) * spread, samples.length);
  }

  /** Returns the arithmetic mean, or NaN without samples. */
  public static double mean(double... samples) {
    return Arrays.stream(samples).sum() / samples.length;
  }

  /**
   * Returns the estimated standard deviation of the population, or NaN for fewer than two samples.
   */
  public static double standardDeviation(double... samples) {
    return Math.sqrt(variance(samples));
  }

  private static double variance(double[] samples) {
    double mean = mean(samples);
    double sum = 0;
    for (double sample : samples) {
      sum += (sample - mean) * (sample - mean);
    }
    return sum / (samples.length - 1);
  }

  private static Interval around(double[] samples, double quantile) {
    check(samples, 2);
    double error = standardDeviation(samples) / Math.sqrt(samples.length);
    return Interval.around(mean(samples), quantile * error, samples.length);
  }

  private static double quantile(double degreesOfFreedom) {
    return TDistribution.of(degreesOfFreedom).inverseCumulativeProbability(UPPER);
  }

  static void check(double[] samples, int min) {
    if (samples.length < min) {
      throw new IllegalArgumentException(
          samples.length + " samples; an interval requires at least " + min);
    }
    for (int i = 0; i < samples.length; i++) {
      if (!Double.isFinite(samples[i])) {
        throw new IllegalArgumentException(
            "sample " + i + " is not a finite number: " + samples[i]);
      }
    }
  }
}
