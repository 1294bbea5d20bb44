package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class BootstrapTest {
  private static final int EXPERIMENTS = 400;
  private static final int SAMPLES = 30;

  @Test
  void shouldCoverMeanOfNormalSamples() {
    // With 30 samples, the method's coverage is one or two percent below 95 %.
    assertThat(coverage(Random::nextGaussian, 0)).isBetween(0.90, 0.98);
  }

  @Test
  void shouldCoverMeanOfSkewedSamples() {
    assertThat(coverage(random -> -Math.log(1 - random.nextDouble()), 1)).isBetween(0.88, 0.98);
  }

  @Test
  void shouldBeAsymmetricForSkewedSamples() {
    double[] skewed = {1, 1, 1, 1, 1, 1, 1, 2, 2, 12};

    Interval interval = Bootstrap.mean(skewed, 1);

    assertThat(interval.high() - interval.estimate())
        .isGreaterThan(interval.estimate() - interval.low());
  }

  @Test
  void shouldMatchStudentsIntervalForNormalSamples() {
    Random random = new Random(3);
    double[] samples = random.doubles(300).map(any -> 50 + random.nextGaussian()).toArray();

    Interval student = Intervals.student(samples);
    Interval bootstrap = Bootstrap.mean(samples, 1);

    assertThat(bootstrap.low()).isCloseTo(student.low(), within(student.halfWidth() / 5));
    assertThat(bootstrap.high()).isCloseTo(student.high(), within(student.halfWidth() / 5));
  }

  @Test
  void shouldReproduceIntervalWithSameSeed() {
    double[] samples = {3, 1, 4, 1, 5, 9, 2, 6};

    assertThat(Bootstrap.mean(samples, 5)).isEqualTo(Bootstrap.mean(samples, 5));
  }

  @Test
  void shouldHaveZeroWidthForEqualSamples() {
    Interval interval = Bootstrap.mean(new double[] {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1);

    assertThat(interval.low()).isCloseTo(0.1, within(1e-12));
    assertThat(interval.high()).isCloseTo(0.1, within(1e-12));
  }

  @Test
  void shouldRejectTooFewSamples() {
    assertThatThrownBy(() -> Bootstrap.mean(new double[] {1, 2, 3, 4}, 1))
        .hasMessage("4 samples; an interval requires at least 5");
  }

  private static double coverage(ToDoubleFunction<Random> sample, double truth) {
    Random random = new Random(11);
    int held = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
      double[] samples = new double[SAMPLES];
      for (int j = 0; j < SAMPLES; j++) {
        samples[j] = sample.applyAsDouble(random);
      }
      held += Bootstrap.mean(samples, i).contains(truth) ? 1 : 0;
    }
    return held / (double) EXPERIMENTS;
  }
}
