package io.sluice.loadtest.statistics;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Linear regression by least squares along y. Immutable, for any thread.
 *
 * <p>Predictions are valid only within the measured range of x and for a linear relation.
 */
public final class LinearFit {
  /** Minimum number of points: two points always define a line. */
  public static final int MIN_POINTS = 3;

  private static final double UPPER = 1 - (1 - Intervals.LEVEL) / 2;

  private final int points;
  private final double meanX;
  private final double squaresX;
  private final double slope;
  private final double intercept;
  private final double deviation;

  private LinearFit(double[] x, double[] y) {
    points = x.length;
    meanX = Intervals.mean(x);
    double meanY = Intervals.mean(y);
    double squares = 0;
    double products = 0;
    for (int i = 0; i < points; i++) {
      squares += (x[i] - meanX) * (x[i] - meanX);
      products += (x[i] - meanX) * (y[i] - meanY);
    }
    squaresX = squares;
    slope = products / squares;
    intercept = meanY - slope * meanX;
    double residuals = 0;
    for (int i = 0; i < points; i++) {
      residuals += Math.pow(y[i] - y(x[i]), 2);
    }
    deviation = Math.sqrt(residuals / (points - 2));
  }

  /**
   * Returns the regression line of points.
   *
   * @throws IllegalArgumentException for fewer than three points, or points that all have the same
   *     x
   */
  public static LinearFit of(double[] x, double[] y) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(
          x.length + " values of x and " + y.length + " of y; expected equal numbers");
    }
    Intervals.check(x, MIN_POINTS);
    Intervals.check(y, MIN_POINTS);
    LinearFit fit = new LinearFit(x, y);
    if (fit.squaresX == 0) {
      throw new IllegalArgumentException("all " + x.length + " points have the same x: " + x[0]);
    }
    return fit;
  }

  /** Returns the slope of the line. */
  public double slope() {
    return slope;
  }

  /** Returns the intercept y x = 0, which may be far outside of the measured range. */
  public double intercept() {
    return intercept;
  }

  /** Returns the standard deviation of the residuals. */
  public double deviation() {
    return deviation;
  }

  /** Returns the prediction interval of 95 % for a further point y {@code x}, by Student's t. */
  public Interval predict(double x) {
    double degreesOfFreedom = points - 2.0;
    double spread = deviation * Math.sqrt(1 + 1.0 / points + (x - meanX) * (x - meanX) / squaresX);
    double halfWidth =
        TDistribution.of(degreesOfFreedom).inverseCumulativeProbability(UPPER) * spread;
    return Interval.around(y(x), halfWidth, points);
  }

  private double y(double x) {
    return intercept + slope * x;
  }
}
