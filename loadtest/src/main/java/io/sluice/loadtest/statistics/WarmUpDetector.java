package io.sluice.loadtest.statistics;

import java.util.Arrays;

/**
 * Detection of the warm-up's end in a series by Geweke's test. Stateless, for any thread.
 *
 * <p>The series is steady from the first index at which the following values' first fifth and last
 * half do not differ significantly.
 */
public final class WarmUpDetector {
  /** Number of values averaged per group, because neighbouring values are correlated. */
  private static final int GROUP = 5;

  private static final int MIN_GROUPS = 5;

  private WarmUpDetector() {}

  /**
   * Returns the number of leading figures that belong to the warm-up.
   *
   * @param series figures in chronological order, such as the mean latency of each second; NaN for
   *     seconds without a figure
   * @return the number of figures to cut, a multiple of five; -1 if the series does not become
   *     steady in its first half
   */
  public static int length(double... series) {
    double[] groups = groups(series);
    if (groups.length < MIN_GROUPS) {
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

  /**
   * Returns the means of groups. A group without figures has the preceding group's mean; NaN if
   * none has.
   */
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
