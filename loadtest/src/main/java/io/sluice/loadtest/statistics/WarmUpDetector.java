package io.sluice.loadtest.statistics;

import java.util.Arrays;
import java.util.List;

/**
 * Detection of the warm-up's end in a series by Geweke's test. Stateless, for any thread.
 *
 * <p>The series is steady from the first index at which the following values' first fifth and last
 * half do not differ significantly.
 */
public final class WarmUpDetector {
  /** Number of values averaged per group, because neighbouring values are correlated. */
  private static final int GROUP = 5;

  /** Number of groups of a steady part. With fewer, the test does not detect a linear trend. */
  private static final int MIN_GROUPS = 7;

  /** Number of figures below which no steady state can be detected. */
  public static final int MIN_LENGTH = GROUP * MIN_GROUPS;

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
    return lengthOfAll(List.of(series));
  }

  /**
   * Returns the number of leading figures that belong to the warm-up of at least one of several
   * series. Each test has the full level: an unnecessary cut costs only a few figures.
   *
   * @param series of the same length, as in {@link #length}
   * @return the number of figures to cut, a multiple of five; -1 if they do not all become steady
   *     in their first half
   */
  public static int lengthOfAll(List<double[]> series) {
    List<double[]> groups = series.stream().map(WarmUpDetector::groups).toList();
    int length = groups.stream().mapToInt(one -> one.length).min().orElse(0);
    if (length < MIN_GROUPS) {
      return -1;
    }
    for (int cut = 0; cut <= length / 2 && length - cut >= MIN_GROUPS; cut++) {
      int from = cut;
      if (groups.stream().allMatch(one -> isSteady(Arrays.copyOfRange(one, from, length)))) {
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
    Interval next = Intervals.ofNext(first, end);
    // Rounding errors are no difference.
    double tolerance = 1e-9 * Math.abs(next.estimate());
    return next.contains(beginning) || Math.abs(beginning - next.estimate()) <= tolerance;
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
