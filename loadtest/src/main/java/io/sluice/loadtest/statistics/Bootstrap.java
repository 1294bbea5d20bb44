package io.sluice.loadtest.statistics;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Bootstrap confidence intervals of 95 % for the mean of independent samples of any distribution,
 * such as the skewed high percentiles of clients. Stateless, for any thread.
 *
 * <p>The method is Efron's BCa: samples are redrawn with replacement, and the percentiles of their
 * means are corrected for bias and skew. The same samples and seed give the same interval.
 */
public final class Bootstrap {
  private static final int RESAMPLES = 10_000;
  private static final int MIN_SAMPLES = 5;
  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

  private Bootstrap() {}

  /**
   * Returns the confidence interval for the mean.
   *
   * @throws IllegalArgumentException for fewer than five samples or a sample that is not finite
   */
  public static Interval mean(double[] samples, long seed) {
    Intervals.check(samples, MIN_SAMPLES);
    double mean = Intervals.mean(samples);
    double[] means = resampledMeans(samples, new SplittableRandom(seed));
    double acceleration = acceleration(samples, mean);
    double bias = bias(means, mean);
    double tail = (1 - Intervals.LEVEL) / 2;
    double low = quantile(means, corrected(tail, bias, acceleration));
    double high = quantile(means, corrected(1 - tail, bias, acceleration));
    return new Interval(mean, low, high, samples.length);
  }

  private static double[] resampledMeans(double[] samples, SplittableRandom random) {
    double[] means = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      double sum = 0;
      for (int j = 0; j < samples.length; j++) {
        sum += samples[random.nextInt(samples.length)];
      }
      means[i] = sum / samples.length;
    }
    Arrays.sort(means);
    return means;
  }

  /**
   * Returns the bias correction: the distance of the resampled means' median from the mean, in
   * standard deviations.
   */
  private static double bias(double[] means, double mean) {
    // Equal values count half; values within a rounding error are equal.
    double tolerance = 1e-12 * Math.max(1, Math.abs(mean));
    double below = 0;
    for (double resampled : means) {
      if (Math.abs(resampled - mean) <= tolerance) {
        below += 0.5;
      } else if (resampled < mean) {
        below++;
      }
    }
    double share = Math.min(Math.max(below, 0.5), means.length - 0.5) / means.length;
    return NORMAL.inverseCumulativeProbability(share);
  }

  /**
   * Returns the acceleration: the rate at which the mean's standard error changes with the mean,
   * from the samples' skew.
   */
  private static double acceleration(double[] samples, double mean) {
    double squares = 0;
    double cubes = 0;
    for (double sample : samples) {
      double distance = sample - mean;
      squares += distance * distance;
      cubes += distance * distance * distance;
    }
    return squares == 0 ? 0 : cubes / (6 * Math.pow(squares, 1.5));
  }

  private static double corrected(double probability, double bias, double acceleration) {
    double shifted = bias + NORMAL.inverseCumulativeProbability(probability);
    return NORMAL.cumulativeProbability(bias + shifted / (1 - acceleration * shifted));
  }

  private static double quantile(double[] sorted, double probability) {
    double index = probability * (sorted.length - 1);
    int below = (int) Math.floor(index);
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (index - below) * (sorted[above] - sorted[below]);
  }
}
