package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PairedRatiosTest {
  private static final double[] BASELINE = {6.1, 5.9, 6.4, 6.0, 6.3, 5.8};
  private static final double[] CANDIDATE = {5.7, 5.8, 6.1, 5.5, 6.2, 5.6};

  @Test
  void shouldMatchReference() {
    // scipy.stats.ttest_rel of the logarithms, and its confidence_interval.
    Interval change = PairedRatios.change(BASELINE, CANDIDATE);

    assertThat(change.estimate()).isCloseTo(-0.04416650340258297, within(1e-12));
    assertThat(change.low()).isCloseTo(-0.07216442136766563, within(1e-12));
    assertThat(change.high()).isCloseTo(-0.01532373379736925, within(1e-12));
    assertThat(PairedRatios.pValue(BASELINE, CANDIDATE))
        .isCloseTo(0.011342496255315896, within(1e-12));
    assertThat(PairedRatios.geometricMean(BASELINE)).isCloseTo(6.079673671613973, within(1e-12));
  }

  @Test
  void shouldNotDependOnConditionsOfBlocks() {
    double[] slowed = CANDIDATE.clone();
    double[] slowedBaseline = BASELINE.clone();
    for (int i = 0; i < slowed.length; i++) {
      slowed[i] *= 1 + i;
      slowedBaseline[i] *= 1 + i;
    }

    assertThat(PairedRatios.change(slowedBaseline, slowed).high())
        .isCloseTo(PairedRatios.change(BASELINE, CANDIDATE).high(), within(1e-12));
  }

  @Test
  void shouldNeverReachZeroRatio() {
    double[] wild = {0.001, 90, 0.2, 7000, 3, 0.05};

    Interval change = PairedRatios.change(BASELINE, wild);
    assertThat(change.low()).isGreaterThan(-1);
    assertThat(change.high()).isGreaterThan(50);
  }

  @Test
  void shouldHaveNoDifferenceOfEqualFigures() {
    assertThat(PairedRatios.pValue(BASELINE, BASELINE)).isEqualTo(1);
    assertThat(PairedRatios.change(BASELINE, BASELINE).estimate()).isZero();
  }

  @Test
  void shouldRejectFiguresWithoutRatio() {
    assertThatThrownBy(() -> PairedRatios.change(new double[] {1, 0}, new double[] {1, 2}))
        .hasMessage("figure 1 is 0.0; a ratio requires a finite figure above 0");
    assertThatThrownBy(() -> PairedRatios.change(new double[] {1, 2}, new double[] {1}))
        .hasMessage("2 and 1 figures are not pairs");
    assertThatThrownBy(() -> PairedRatios.change(new double[] {1}, new double[] {1}))
        .hasMessageContaining("requires at least 2");
  }
}
