package io.sluice.loadtest.statistics;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Comparison of positive figures that were measured in pairs, such as the two runs of one block.
 * Stateless, for any thread.
 *
 * <p>Student's t is applied to the logarithms of the ratios. A condition that affects both figures
 * of a pair cancels out. The interval of the ratio is above 0 by construction.
 */
public final class PairedRatios {
  private PairedRatios() {}

  /**
   * Returns the geometric mean of candidate divided by baseline, minus 1, with its interval of 95
   * %.
   *
   * @throws IllegalArgumentException for fewer than two pairs, different lengths, or a figure that
   *     is not above 0
   */
  public static Interval change(double[] baseline, double[] candidate) {
    Interval logarithm = Intervals.student(logarithms(baseline, candidate));
    return new Interval(
        Math.expm1(logarithm.estimate()),
        Math.expm1(logarithm.low()),
        Math.expm1(logarithm.high()),
        baseline.length);
  }

  /**
   * Returns the p-value of the two-sided paired t test, which matches {@link #change}.
   *
   * @return from 0 to 1
   * @throws IllegalArgumentException as {@link #change}
   */
  public static double pValue(double[] baseline, double[] candidate) {
    double[] logarithms = logarithms(baseline, candidate);
    Intervals.check(logarithms, 2);
    double mean = Math.abs(Intervals.mean(logarithms));
    double error = Intervals.standardDeviation(logarithms) / Math.sqrt(logarithms.length);
    if (error == 0) {
      return mean == 0 ? 1 : 0;
    }
    return 2 * TDistribution.of(logarithms.length - 1).survivalProbability(mean / error);
  }

  /**
   * Returns the geometric mean.
   *
   * @throws IllegalArgumentException for a figure that is not above 0
   */
  public static double geometricMean(double... figures) {
    double sum = 0;
    for (int i = 0; i < figures.length; i++) {
      sum += logarithm(figures[i], i);
    }
    return Math.exp(sum / figures.length);
  }

  private static double[] logarithms(double[] baseline, double[] candidate) {
    if (baseline.length != candidate.length) {
      throw new IllegalArgumentException(
          baseline.length + " and " + candidate.length + " figures are not pairs");
    }
    double[] logarithms = new double[baseline.length];
    for (int i = 0; i < logarithms.length; i++) {
      logarithms[i] = logarithm(candidate[i], i) - logarithm(baseline[i], i);
    }
    return logarithms;
  }

  private static double logarithm(double figure, int index) {
    if (!(figure > 0) || Double.isInfinite(figure)) {
      throw new IllegalArgumentException(
          "figure " + index + " is " + figure + "; a ratio requires a finite figure above 0");
    }
    return Math.log(figure);
  }
}
