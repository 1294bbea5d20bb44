package io.sluice.loadtest.statistics;

import java.util.Locale;

/**
 * Estimate with its confidence interval of 95 %, in the unit of the samples. Immutable, for any
 * thread.
 *
 * @param estimate the mean of the samples
 * @param low lower end
 * @param high upper end
 * @param samples number of independent samples
 */
public record Interval(double estimate, double low, double high, int samples) {

  /** Returns a symmetric interval around the mean. */
  static Interval around(double mean, double halfWidth, int samples) {
    return new Interval(mean, mean - halfWidth, mean + halfWidth, samples);
  }

  /** Returns half of the width, in the unit of the samples. */
  public double halfWidth() {
    return (high - low) / 2;
  }

  /** Returns whether a value is within the interval. */
  public boolean contains(double value) {
    return value >= low && value <= high;
  }

  /**
   * Returns the part of the interval that a quantity of at least 0 can have, such as a latency. The
   * coverage is the same, because the removed part never contains the true value.
   */
  public Interval boundedAtZero() {
    return low >= 0 ? this : new Interval(estimate, 0, Math.max(0, high), samples);
  }

  /** Returns the interval in another unit. */
  public Interval times(double factor) {
    return new Interval(estimate * factor, low * factor, high * factor, samples);
  }

  /**
   * Returns text such as {@code 3.518 ± 0.350}, or with both ends if the interval is asymmetric.
   */
  public String toText(int decimals) {
    String number = "%." + decimals + "f";
    double above = high - estimate;
    double below = estimate - low;
    // A difference within a rounding error is not asymmetry.
    boolean symmetric = Math.abs(above - below) <= 1e-9 * Math.max(1, Math.abs(high - low));
    return symmetric
        ? String.format(Locale.ROOT, number + " ± " + number, estimate, above)
        : String.format(
            Locale.ROOT, number + " (" + number + " to " + number + ")", estimate, low, high);
  }
}
