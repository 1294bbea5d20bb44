package io.sluice.loadtest.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.statistics.Interval;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WeightedFitTest {
  private static final double[] TRUE = {0.1, 2, 0.5};

  @Test
  void shouldFindExactRelation() {
    WeightedFit fit = fit(new Random(1), 12, 0);

    for (int i = 0; i < TRUE.length; i++) {
      assertThat(fit.coefficient(i)).isCloseTo(TRUE[i], within(1e-9));
    }
    assertThat(fit.deviation()).isCloseTo(0, within(1e-9));
    assertThat(fit.predict(1, 3, 4).estimate()).isCloseTo(8.1, within(1e-9));
  }

  @Test
  void shouldContainFurtherPointsAsOftenAsStated() {
    long seed = 27;
    Random random = new Random(seed);
    int covered = 0;
    int all = 4_000;
    for (int i = 0; i < all; i++) {
      double[] features = features(random);
      Interval prediction = fit(random, 10, 0.1).predict(features);
      covered += prediction.contains(value(features) * (1 + 0.1 * random.nextGaussian())) ? 1 : 0;
    }

    // The weights are those of the measured, not of the true values: coverage is slightly lower.
    assertThat(covered / (double) all).as("seed " + seed).isBetween(0.92, 0.97);
  }

  @Test
  void shouldWidenIntervalsOutsideOfTheRuns() {
    WeightedFit fit = fit(new Random(3), 20, 0.1);

    Interval within = fit.predict(1, 5, 5);
    Interval outside = fit.predict(1, 500, 5);

    assertThat(outside.halfWidth() / outside.estimate())
        .isGreaterThan(within.halfWidth() / within.estimate());
  }

  @Test
  void shouldNotPredictBelowZero() {
    WeightedFit fit = fit(new Random(4), 6, 2);

    assertThat(fit.predict(1, 0.1, 0.1).low()).isNotNegative();
  }

  @Test
  void shouldRejectTooFewOrEqualRuns() {
    assertThatThrownBy(() -> fit(new Random(5), 4, 0.1)).hasMessageContaining("at least 5 runs");
    double[][] equal = {{1, 2}, {1, 2}, {1, 2}, {1, 2}};
    assertThatThrownBy(() -> WeightedFit.of(equal, new double[] {1, 2, 3, 4}))
        .hasMessageContaining("vary their load");
  }

  private static WeightedFit fit(Random random, int points, double deviation) {
    double[][] features = new double[points][];
    double[] values = new double[points];
    for (int i = 0; i < points; i++) {
      features[i] = features(random);
      double factor = 1 + deviation * random.nextGaussian();
      values[i] = value(features[i]) * Math.max(0.05, factor);
    }
    return WeightedFit.of(features, values);
  }

  private static double[] features(Random random) {
    return new double[] {1, 1 + 9 * random.nextDouble(), 1 + 9 * random.nextDouble()};
  }

  private static double value(double[] features) {
    double sum = 0;
    for (int i = 0; i < features.length; i++) {
      sum += features[i] * TRUE[i];
    }
    return sum;
  }
}
