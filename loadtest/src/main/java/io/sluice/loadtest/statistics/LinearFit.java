package io.sluice.loadtest.statistics;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The straight line through points whose squared distances along y are the least. Predictions from
 * it hold within the range of x that was measured, if the points scatter about a line. Immutable.
 */
public final class LinearFit {
  /** Two points lie on a line whatever is true. */
  public static final int LEAST_POINTS = 3;

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
    double rest = 0;
    for (int i = 0; i < points; i++) {
      rest += Math.pow(y[i] - at(x[i]), 2);
    }
    deviation = Math.sqrt(rest / (points - 2));
  }

  /**
   * The line through points.
   *
   * @throws IllegalArgumentException for fewer than three points, or points that all have the same
   *     x
   */
  public static LinearFit of(double[] x, double[] y) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(x.length + " values of x, but " + y.length + " of y");
    }
    Intervals.check(x, LEAST_POINTS);
    Intervals.check(y, LEAST_POINTS);
    LinearFit fit = new LinearFit(x, y);
    if (fit.squaresX == 0) {
      throw new IllegalArgumentException("all " + x.length + " points have the same x: " + x[0]);
    }
    return fit;
  }

  /** How much y grows with x. */
  public double slope() {
    return slope;
  }

  /** The y of the line where x is 0, which may lie far outside of what was measured. */
  public double intercept() {
    return intercept;
  }

  /** The standard deviation of the points from the line, along y. */
  public double deviation() {
    return deviation;
  }

  /** Where a further point at {@code x} lies with a probability of 95 %, by Student's t. */
  public Interval predict(double x) {
    double freedom = points - 2.0;
    double spread = deviation * Math.sqrt(1 + 1.0 / points + (x - meanX) * (x - meanX) / squaresX);
    double halfWidth = TDistribution.of(freedom).inverseCumulativeProbability(UPPER) * spread;
    return Interval.around(at(x), halfWidth, points);
  }

  private double at(double x) {
    return intercept + slope * x;
  }
}
