package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearFitTest {
  @Test
  void shouldFitAnscombesFirstSet() {
    double[] x = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    double[] y = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};

    LinearFit fit = LinearFit.of(x, y);

    assertThat(fit.slope()).isCloseTo(0.50009, within(1e-5));
    assertThat(fit.intercept()).isCloseTo(3.00009, within(1e-5));
    assertThat(fit.deviation()).isCloseTo(1.23660, within(1e-5));
  }

  @Test
  void shouldPredictByStudentsT() {
    LinearFit fit = LinearFit.of(new double[] {1, 2, 3, 4, 5}, new double[] {2, 4, 5, 4, 5});

    Interval prediction = fit.predict(6);

    // Of 3 degrees of freedom: 3.18245 * sqrt(0.8) * sqrt(1 + 1/5 + 9/10).
    assertThat(prediction.estimate()).isCloseTo(5.8, within(1e-12));
    assertThat(prediction.halfWidth())
        .isCloseTo(3.18245 * Math.sqrt(0.8) * Math.sqrt(2.1), within(1e-4));
  }

  @Test
  void shouldCoverNextPointWithPrediction() {
    Random random = new Random(5);
    int experiments = 20_000;
    int held = 0;
    double[] x = {1, 2, 4, 8};
    for (int i = 0; i < experiments; i++) {
      double[] y = new double[x.length];
      for (int j = 0; j < x.length; j++) {
        y[j] = 3 + 2 * x[j] + random.nextGaussian();
      }
      double next = 3 + 2 * 6 + random.nextGaussian();
      held += LinearFit.of(x, y).predict(6).contains(next) ? 1 : 0;
    }

    double tolerance = 3 * Math.sqrt(0.95 * 0.05 / experiments);
    assertThat(held / (double) experiments).isCloseTo(0.95, within(tolerance));
  }

  @Test
  void shouldRejectPointsWithoutLine() {
    assertThatThrownBy(() -> LinearFit.of(new double[] {1, 2}, new double[] {1, 2}))
        .hasMessage("2 samples; an interval requires at least 3");
    assertThatThrownBy(() -> LinearFit.of(new double[] {4, 4, 4}, new double[] {1, 2, 3}))
        .hasMessage("all 3 points have the same x: 4.0");
    assertThatThrownBy(() -> LinearFit.of(new double[] {1, 2, 3}, new double[] {1, 2}))
        .hasMessage("3 values of x and 2 of y; expected equal numbers");
  }
}
