package io.sluice.loadtest.report;

import io.sluice.loadtest.statistics.Interval;
import java.util.Locale;
import java.util.function.Function;

/** Formatter of numbers, independent of the locale. Stateless, for any thread. */
final class Numbers {
  /** Placeholder for a missing figure. */
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

  /** Returns a number with the decimals of latencies and CPU times in tables. */
  static String fine(double value) {
    return decimal(value, DECIMALS);
  }

  static String megabytes(double bytes) {
    return bytes <= 0 ? NONE : decimal(bytes / 1e6, 1) + " MB";
  }

  /** Returns a rate such as 10 or 0.5, without trailing zeros. */
  static String rate(double value) {
    return value == Math.rint(value) ? count((long) value) : decimal(value, 2);
  }

  /**
   * Returns a method's interval for a quantity of at least 0, or a dash for fewer samples than it
   * requires.
   */
  static String interval(double[] samples, int min, Function<double[], Interval> method) {
    return samples.length < min ? NONE : method.apply(samples).boundedAtZero().toText(DECIMALS);
  }
}
