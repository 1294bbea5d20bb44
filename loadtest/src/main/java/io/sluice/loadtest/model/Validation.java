package io.sluice.loadtest.model;

import io.sluice.loadtest.statistics.Interval;
import java.util.Locale;

/**
 * Comparison of predictions with runs that were not used for the fit. Immutable, for any thread.
 *
 * @param fitted number of runs to which the model was fitted
 * @param runs number of held-out runs
 * @param covered number of them within their prediction interval
 * @param halfWidth mean half-width of the intervals, relative to the prediction
 * @param error mean absolute difference, relative to the prediction
 */
record Validation(int fitted, int runs, int covered, double halfWidth, double error) {
  /** Returns a validation without held-out runs. */
  static Validation none(int fitted) {
    return new Validation(fitted, 0, 0, 0, 0);
  }

  /** Returns a validation with one more held-out run. */
  Validation with(Interval prediction, double measured) {
    int all = runs + 1;
    double relative = prediction.halfWidth() / prediction.estimate();
    double difference = Math.abs(measured / prediction.estimate() - 1);
    return new Validation(
        fitted,
        all,
        covered + (prediction.contains(measured) ? 1 : 0),
        halfWidth + (relative - halfWidth) / all,
        error + (difference - error) / all);
  }

  double coverage() {
    return (double) covered / runs;
  }

  String toText() {
    return String.format(
        Locale.ROOT,
        "fitted to %d runs; %d of %d held-out runs are within their 95 %% prediction interval"
            + " (half-width %.0f %%, error %.0f %% on average)",
        fitted,
        covered,
        runs,
        halfWidth * 100,
        error * 100);
  }
}
