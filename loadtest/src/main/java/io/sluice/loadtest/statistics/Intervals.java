package io.sluice.loadtest.statistics;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Intervals of 95 % for the mean of samples that are independent of each other: one figure a
 * client, or one a run, never one a message.
 */
public final class Intervals {
  /** Probability that an interval holds the true value. */
  public static final double LEVEL = 0.95;

  private static final double UPPER = 1 - (1 - LEVEL) / 2;

  /** 1.96, as far as a double goes. */
  private static final double NORMAL =
      NormalDistribution.of(0, 1).inverseCumulativeProbability(UPPER);

  private Intervals() {}

  /**
   * By the normal distribution, which is too narrow for few samples; to compare with figures that
   * were made so.
   *
   * @throws IllegalArgumentException for fewer than two samples, or one that is no number
   */
  public static Interval normal(double... samples) {
    return around(samples, NORMAL);
  }

  /**
   * By Student's t distribution: right for any number of samples if they are distributed normally,
   * and nearly so for others from about 30 on.
   *
   * @throws IllegalArgumentException for fewer than two samples, or one that is no number
   */
  public static Interval student(double... samples) {
    check(samples, 2);
    return around(samples, quantile(samples.length - 1));
  }

  /**
   * How far the mean of {@code later} lies above that of {@code earlier}, by Welch's t interval,
   * which does not take both to vary alike.
   *
   * @throws IllegalArgumentException for fewer than two samples on a side, or one that is no number
   */
  public static Interval difference(double[] earlier, double[] later) {
    check(earlier, 2);
    check(later, 2);
    double difference = mean(later) - mean(earlier);
    double error = errorOfDifference(earlier, later);
    int samples = earlier.length + later.length;
    double halfWidth = error == 0 ? 0 : quantile(freedom(earlier, later)) * error;
    return Interval.around(difference, halfWidth, samples);
  }

  /**
   * How probable it is that means differ as much as these, or more, although nothing differs but by
   * chance: Welch's two-sided test, which fits {@link #difference}.
   *
   * @return from 0 to 1
   * @throws IllegalArgumentException for fewer than two samples on a side, or one that is no number
   */
  public static double chance(double[] earlier, double[] later) {
    check(earlier, 2);
    check(later, 2);
    double difference = Math.abs(mean(later) - mean(earlier));
    double error = errorOfDifference(earlier, later);
    if (error == 0) {
      return difference == 0 ? 1 : 0;
    }
    return 2 * TDistribution.of(freedom(earlier, later)).survivalProbability(difference / error);
  }

  private static double errorOfDifference(double[] earlier, double[] later) {
    return Math.sqrt(variance(earlier) / earlier.length + variance(later) / later.length);
  }

  /** Degrees of freedom by Welch and Satterthwaite. */
  private static double freedom(double[] earlier, double[] later) {
    double a = variance(earlier) / earlier.length;
    double b = variance(later) / later.length;
    return (a + b) * (a + b) / (a * a / (earlier.length - 1) + b * b / (later.length - 1));
  }

  /**
   * Where the mean of the next {@code count} samples lies with a probability of 95 %, if they are
   * drawn from the same normal distribution as these.
   *
   * @throws IllegalArgumentException for fewer than two samples, or one that is no number
   */
  public static Interval ofNext(int count, double... samples) {
    check(samples, 2);
    double spread = standardDeviation(samples) * Math.sqrt(1.0 / count + 1.0 / samples.length);
    return Interval.around(mean(samples), quantile(samples.length - 1) * spread, samples.length);
  }

  /** The arithmetic mean; NaN of nothing. */
  public static double mean(double... samples) {
    return Arrays.stream(samples).sum() / samples.length;
  }

  /** The standard deviation of what the samples were drawn from; NaN of fewer than two. */
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

  private static double quantile(double freedom) {
    return TDistribution.of(freedom).inverseCumulativeProbability(UPPER);
  }

  static void check(double[] samples, int least) {
    if (samples.length < least) {
      throw new IllegalArgumentException(
          "an interval needs at least " + least + " samples, not " + samples.length);
    }
    for (int i = 0; i < samples.length; i++) {
      if (!Double.isFinite(samples[i])) {
        throw new IllegalArgumentException("sample " + i + " is no number: " + samples[i]);
      }
    }
  }
}
