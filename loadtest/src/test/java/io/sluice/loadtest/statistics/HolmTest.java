package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class HolmTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-12);

  @Test
  void shouldCorrectSmallestMost() {
    assertThat(Holm.correct(0.01, 0.04, 0.03, 0.005))
        .containsExactly(new double[] {0.03, 0.06, 0.06, 0.02}, EXACT);
  }

  @Test
  void shouldKeepSinglePValueAndLimitToOne() {
    assertThat(Holm.correct(0.05)).containsExactly(0.05);
    assertThat(Holm.correct(0.7, 0.9)).containsExactly(1, 1);
    assertThat(Holm.correct()).isEmpty();
  }

  @Test
  void shouldLimitFalsePositivesOfSixTestsToFivePercent() {
    Random random = new Random(3);
    int experiments = 20_000;
    int wrong = 0;
    for (int i = 0; i < experiments; i++) {
      double[] corrected = Holm.correct(random.doubles(6).toArray());
      wrong += Arrays.stream(corrected).anyMatch(chance -> chance <= 0.05) ? 1 : 0;
    }

    double tolerance = 3 * Math.sqrt(0.05 * 0.95 / experiments);
    assertThat(wrong / (double) experiments).isBetween(0.04, 0.05 + tolerance);
  }

  @Test
  void shouldRejectInvalidPValues() {
    assertThatThrownBy(() -> Holm.correct(0.5, Double.NaN))
        .hasMessage("p-value NaN is not between 0 and 1");
    assertThatThrownBy(() -> Holm.correct(-0.1)).hasMessage("p-value -0.1 is not between 0 and 1");
  }
}
