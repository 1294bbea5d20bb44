package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class IntervalsTest {
  private static final int EXPERIMENTS = 20_000;

  /** Three standard errors of a proportion of 95 % in this number of experiments. */
  private static final double TOLERANCE = 3 * Math.sqrt(0.95 * 0.05 / EXPERIMENTS);

  @Test
  void shouldMatchPublishedIntervals() throws Exception {
    ClientTable table = ClientTable.read(published());

    assertThat(Intervals.normal(table.column("mean_ms")).toText(3)).isEqualTo("3.518 ± 0.350");
    assertThat(Intervals.normal(table.column("p95_ms")).toText(3)).isEqualTo("5.967 ± 0.613");
    assertThat(Intervals.normal(table.column("p99_ms")).toText(3)).isEqualTo("16.933 ± 1.558");
  }

  @Test
  void shouldBeWiderByStudentsTThanByNormal() throws Exception {
    double[] means = ClientTable.read(published()).column("mean_ms");

    // 2.0452 is the quantile for 29 degrees of freedom.
    assertThat(Intervals.student(means).halfWidth())
        .isCloseTo(Intervals.normal(means).halfWidth() * 2.0452 / 1.95996, within(1e-4));
  }

  @Test
  void shouldCoverMeanWithStudentsInterval() {
    assertThat(coverage(30, Intervals::student)).isCloseTo(0.95, within(TOLERANCE));
    assertThat(coverage(5, Intervals::student)).isCloseTo(0.95, within(TOLERANCE));
    assertThat(coverage(2, Intervals::student)).isCloseTo(0.95, within(TOLERANCE));
  }

  @Test
  void shouldBeTooNarrowByNormalForFewSamples() {
    // P(|t| < 1.96) with 4 degrees of freedom.
    assertThat(coverage(5, Intervals::normal)).isCloseTo(0.8784, within(2 * TOLERANCE));
  }

  @Test
  void shouldCoverPositiveMeanWithIntervalBoundedAtZero() {
    // The unbounded intervals are often below 0.
    Random random = new Random(3);
    int held = 0;
    int bounded = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
      double[] samples = samples(random, 3, 1, 1);
      Interval whole = Intervals.student(samples);
      Interval positive = whole.boundedAtZero();
      bounded += whole.low() < 0 ? 1 : 0;
      assertThat(positive.low()).isNotNegative();
      assertThat(positive.contains(1)).isEqualTo(whole.contains(1));
      held += positive.contains(1) ? 1 : 0;
    }

    assertThat(bounded).isGreaterThan(EXPERIMENTS / 4);
    assertThat(held / (double) EXPERIMENTS).isCloseTo(0.95, within(TOLERANCE));
  }

  @Test
  void shouldCoverDifferenceWithUnequalVariances() {
    Random random = new Random(7);
    int held = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
      double[] baseline = samples(random, 12, 3, 1);
      double[] candidate = samples(random, 25, 5, 4);
      held += Intervals.difference(baseline, candidate).contains(2) ? 1 : 0;
    }

    assertThat(held / (double) EXPERIMENTS).isCloseTo(0.95, within(2 * TOLERANCE));
  }

  @Test
  void shouldMatchPValueOfStudentsTable() {
    // t = 1 with 8 degrees of freedom.
    double[] baseline = {1, 2, 3, 4, 5};
    double[] candidate = {2, 3, 4, 5, 6};

    assertThat(Intervals.pValue(baseline, candidate)).isCloseTo(0.34659, within(1e-5));
    assertThat(Intervals.pValue(candidate, baseline)).isCloseTo(0.34659, within(1e-5));
  }

  @Test
  void shouldHavePValueOfFivePercentIfIntervalEndsAtZero() {
    double[] baseline = {1, 2, 4, 8};
    double[] candidate = {11, 12, 15};
    Interval difference = Intervals.difference(baseline, candidate);
    double[] moved = Arrays.stream(candidate).map(value -> value - difference.low()).toArray();

    assertThat(Intervals.pValue(baseline, moved)).isCloseTo(0.05, within(1e-9));
  }

  @Test
  void shouldHavePValueZeroOrOneWithoutVariance() {
    assertThat(Intervals.pValue(new double[] {1, 1}, new double[] {1, 1})).isEqualTo(1);
    assertThat(Intervals.pValue(new double[] {1, 1}, new double[] {2, 2})).isZero();
  }

  @Test
  void shouldCoverNextMean() {
    Random random = new Random(13);
    int held = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
      Interval next = Intervals.ofNext(3, samples(random, 8, 4, 2));
      held += next.contains(Intervals.mean(samples(random, 3, 4, 2))) ? 1 : 0;
    }

    assertThat(held / (double) EXPERIMENTS).isCloseTo(0.95, within(TOLERANCE));
  }

  @Test
  void shouldHaveZeroWidthForEqualSamples() {
    assertThat(Intervals.student(4, 4, 4)).isEqualTo(new Interval(4, 4, 4, 3));
    assertThat(Intervals.difference(new double[] {1, 1}, new double[] {3, 3}))
        .isEqualTo(new Interval(2, 2, 2, 4));
  }

  @Test
  void shouldRejectSingleSampleAndNonFiniteNumbers() {
    assertThatThrownBy(() -> Intervals.student(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("1 samples; an interval requires at least 2");
    assertThatThrownBy(() -> Intervals.normal(1, Double.NaN))
        .hasMessage("sample 1 is not a finite number: NaN");
    assertThatThrownBy(() -> Intervals.difference(new double[] {1, 2}, new double[0]))
        .hasMessage("0 samples; an interval requires at least 2");
  }

  @Test
  void shouldShowBothEndsOfAsymmetricInterval() {
    assertThat(new Interval(10, 9, 14, 30).toText(1)).isEqualTo("10.0 (9.0 to 14.0)");
  }

  private static double coverage(int samples, Function<double[], Interval> method) {
    Random random = new Random(samples);
    int held = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
      held += method.apply(samples(random, samples, 10, 2)).contains(10) ? 1 : 0;
    }
    return held / (double) EXPERIMENTS;
  }

  private static double[] samples(Random random, int count, double mean, double deviation) {
    return random.doubles(count).map(any -> mean + deviation * random.nextGaussian()).toArray();
  }

  private static Path published() throws URISyntaxException {
    return Path.of(IntervalsTest.class.getResource("/kaazing-table1.csv").toURI());
  }
}
