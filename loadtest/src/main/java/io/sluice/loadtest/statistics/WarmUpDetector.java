package io.sluice.loadtest.statistics;

import java.util.Arrays;

/**
 * Detects the end of the warm-up in a series by Geweke's rule. The series is steady from the first
 * index after which the first fifth of the rest differs from its last half by no more than chance.
 */
public final class WarmUpDetector {
  /** Figures are averaged in groups of so many, because neighbours are alike. */
  private static final int GROUP = 5;

  private static final int LEAST_GROUPS = 5;

  private WarmUpDetector() {}

  /**
   * Returns the number of leading figures that belong to the warm-up.
   *
   * @param series figures in the order of time, such as the mean latency of each second; NaN where
   *     a second had none
   * @return the number to cut, a multiple of five; -1 if the series is not steady by its middle, so
   *     that it is too short, or grows
   */
  public static int length(double... series) {
    double[] groups = groups(series);
    if (groups.length < LEAST_GROUPS) {
      return -1;
    }
    for (int cut = 0; cut <= groups.length / 2; cut++) {
      if (isSteady(Arrays.copyOfRange(groups, cut, groups.length))) {
        return cut * GROUP;
      }
    }
    return -1;
  }

  private static boolean isSteady(double[] groups) {
    if (Double.isNaN(groups[0])) {
      return false;
    }
    int first = Math.max(2, groups.length / 5);
    int last = Math.max(2, groups.length / 2);
    double beginning = Intervals.mean(Arrays.copyOf(groups, first));
    double[] end = Arrays.copyOfRange(groups, groups.length - last, groups.length);
    return Intervals.ofNext(first, end).contains(beginning);
  }

  /** A group without a figure is like the one before; NaN before the first that has one. */
  private static double[] groups(double[] series) {
    double[] groups = new double[series.length / GROUP];
    double mean = Double.NaN;
    for (int i = 0; i < groups.length; i++) {
      double[] group = Arrays.copyOfRange(series, i * GROUP, (i + 1) * GROUP);
      mean = Arrays.stream(group).filter(Double::isFinite).average().orElse(mean);
      groups[i] = mean;
    }
    return groups;
  }
}
