package io.sluice.loadtest.model;

import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Linear regression over several features that minimizes relative residuals. Immutable, for any
 * thread.
 *
 * <p>The scatter of CPU figures grows with the figure. The weight of a point is therefore the
 * inverse square of its value.
 */
final class WeightedFit {
  private static final double UPPER = 1 - (1 - Intervals.LEVEL) / 2;
  private static final double SINGULAR = 1e-12;

  private final double[] coefficients;
  private final double[][] covariance;
  private final double deviation;
  private final double quantile;
  private final int points;

  private WeightedFit(double[] coefficients, double[][] covariance, double deviation, int points) {
    this.coefficients = coefficients;
    this.covariance = covariance;
    this.deviation = deviation;
    this.points = points;
    this.quantile =
        TDistribution.of((double) points - coefficients.length).inverseCumulativeProbability(UPPER);
  }

  /**
   * Returns the regression of values by their features.
   *
   * @throws IllegalArgumentException if there are too few points, or features that depend on each
   *     other
   */
  static WeightedFit of(double[][] features, double[] values) {
    int count = features.length == 0 ? 0 : features[0].length;
    if (features.length < count + 2) {
      throw new IllegalArgumentException(
          "%d runs; the model has %d figures and requires at least %d runs"
              .formatted(features.length, count, count + 2));
    }
    double[][] normal = new double[count][count];
    double[] right = new double[count];
    for (int point = 0; point < features.length; point++) {
      double[] scaled = scaled(features[point], values[point]);
      for (int i = 0; i < count; i++) {
        right[i] += scaled[i];
        for (int j = 0; j < count; j++) {
          normal[i][j] += scaled[i] * scaled[j];
        }
      }
    }
    double[][] inverse = inverse(normal);
    double[] coefficients = new double[count];
    for (int i = 0; i < count; i++) {
      coefficients[i] = dot(inverse[i], right);
    }
    double deviation = deviation(features, values, coefficients);
    return new WeightedFit(coefficients, inverse, deviation, features.length);
  }

  /** Returns features divided by a value, by which the regression's value becomes 1. */
  private static double[] scaled(double[] features, double value) {
    double[] scaled = new double[features.length];
    for (int i = 0; i < scaled.length; i++) {
      scaled[i] = features[i] / value;
    }
    return scaled;
  }

  private static double deviation(double[][] features, double[] values, double[] coefficients) {
    double squares = 0;
    for (int point = 0; point < features.length; point++) {
      squares += Math.pow(1 - dot(scaled(features[point], values[point]), coefficients), 2);
    }
    return Math.sqrt(squares / (features.length - coefficients.length));
  }

  /** Returns the coefficient of a feature. */
  double coefficient(int feature) {
    return coefficients[feature];
  }

  /** Returns the standard deviation of the relative residuals. */
  double deviation() {
    return deviation;
  }

  /** Returns the prediction interval of 95 % for a further point, by Student's t. */
  Interval predict(double... features) {
    double value = dot(features, coefficients);
    double variance = value * value;
    for (int i = 0; i < features.length; i++) {
      variance += features[i] * dot(covariance[i], features);
    }
    double halfWidth = quantile * deviation * Math.sqrt(variance);
    return new Interval(value, Math.max(0, value - halfWidth), value + halfWidth, points);
  }

  /** Returns the inverse of a symmetric positive definite matrix by Gauss and Jordan. */
  private static double[][] inverse(double[][] matrix) {
    int count = matrix.length;
    double[][] left = new double[count][];
    double[][] inverse = new double[count][count];
    for (int i = 0; i < count; i++) {
      left[i] = matrix[i].clone();
      inverse[i][i] = 1;
    }
    for (int i = 0; i < count; i++) {
      if (!(Math.abs(left[i][i]) > SINGULAR * matrix[i][i])) {
        throw new IllegalArgumentException(
            "the runs do not determine figure " + i + " of the model: vary their load");
      }
      eliminate(left, inverse, i);
    }
    return inverse;
  }

  private static void eliminate(double[][] left, double[][] inverse, int pivot) {
    double divisor = left[pivot][pivot];
    divide(left[pivot], divisor);
    divide(inverse[pivot], divisor);
    for (int row = 0; row < left.length; row++) {
      if (row != pivot) {
        double factor = left[row][pivot];
        subtract(left[row], left[pivot], factor);
        subtract(inverse[row], inverse[pivot], factor);
      }
    }
  }

  private static void divide(double[] row, double divisor) {
    for (int i = 0; i < row.length; i++) {
      row[i] /= divisor;
    }
  }

  private static void subtract(double[] row, double[] other, double factor) {
    for (int i = 0; i < row.length; i++) {
      row[i] -= factor * other[i];
    }
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
