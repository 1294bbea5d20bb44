package io.sluice.loadtest.statistics;

import java.util.Locale;

/**
 * An estimate and the range in which the true value lies with a probability of 95 %, in the unit of
 * the samples. Immutable.
 *
 * @param estimate the mean of the samples
 * @param low lower end
 * @param high upper end
 * @param samples how many independent samples it rests on
 */
public record Interval(double estimate, double low, double high, int samples) {

  /** The mean and as much to each side. */
  static Interval around(double mean, double halfWidth, int samples) {
    return new Interval(mean, mean - halfWidth, mean + halfWidth, samples);
  }

  /** Half of the width, in the unit of the samples. */
  public double halfWidth() {
    return (high - low) / 2;
  }

  /** Whether a value lies in the range. */
  public boolean contains(double value) {
    return value >= low && value <= high;
  }

  /** The same in another unit. */
  public Interval times(double factor) {
    return new Interval(estimate * factor, low * factor, high * factor, samples);
  }

  /** Such as {@code 3.518 ± 0.350}; with both ends if they lie at different distances. */
  public String toText(int decimals) {
    String number = "%." + decimals + "f";
    double above = high - estimate;
    double below = estimate - low;
    // Of a rounding error, not of the method.
    boolean even = Math.abs(above - below) <= 1e-9 * Math.max(1, Math.abs(high - low));
    return even
        ? String.format(Locale.ROOT, number + " ± " + number, estimate, above)
        : String.format(
            Locale.ROOT, number + " (" + number + " to " + number + ")", estimate, low, high);
  }
}
