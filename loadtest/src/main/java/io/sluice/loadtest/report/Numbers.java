package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Interval;
import java.util.Locale;
import java.util.function.Function;

/** Numbers as people read them, the same in every country. */
final class Numbers {
  /** Where there is no figure. */
  static final String NONE = "–";

  private static final int DECIMALS = 3;

  private Numbers() {}

  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  static String decimal(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%,." + decimals + "f", value)
        : NONE;
  }

  /** With as many decimals as latencies and CPU times have in tables. */
  static String fine(double value) {
    return decimal(value, DECIMALS);
  }

  static String megabytes(double bytes) {
    return bytes <= 0 ? NONE : decimal(bytes / 1e6, 1) + " MB";
  }

  /** A rate such as 10 or 0.5, without idle zeros. */
  static String rate(double value) {
    return value == Math.rint(value) ? count((long) value) : decimal(value, 2);
  }

  /** The interval that a method gives; nothing for fewer samples than it needs. */
  static String interval(double[] samples, int least, Function<double[], Interval> method) {
    return samples.length < least ? NONE : method.apply(samples).toText(DECIMALS);
  }
}
