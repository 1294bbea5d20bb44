package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WarmUpDetectorTest {
  @Test
  void shouldCutSlowBeginning() {
    double[] series = series(120, i -> i < 20 ? 40 - i : 5);

    assertThat(WarmUpDetector.length(series)).isBetween(20, 30);
  }

  @Test
  void shouldCutNothingOfSteadySeries() {
    Random random = new Random(2);
    long whole =
        IntStream.range(0, 2000)
            .filter(i -> WarmUpDetector.length(series(random, 120, second -> 5)) == 0)
            .count();

    assertThat(whole / 2000.0).isCloseTo(0.95, within(0.02));
  }

  @Test
  void shouldCutNothingOfConstantSeries() {
    assertThat(WarmUpDetector.length(IntStream.range(0, 120).mapToDouble(i -> 5).toArray()))
        .isZero();
  }

  @Test
  void shouldCutUntilEverySeriesIsSteady() {
    double[] latency = IntStream.range(0, 120).mapToDouble(i -> 5).toArray();
    double[] cost = series(120, i -> i < 20 ? 40 - i : 5);

    assertThat(WarmUpDetector.length(latency)).isZero();
    assertThat(WarmUpDetector.lengthOfAll(List.of(latency, cost))).isBetween(20, 30);
    assertThat(WarmUpDetector.lengthOfAll(List.of(latency, series(120, i -> i)))).isEqualTo(-1);
  }

  @Test
  void shouldDetectTrendInShortestSeries() {
    for (int length = WarmUpDetector.MIN_LENGTH; length <= 70; length += 5) {
      double[] trend = IntStream.range(0, length).mapToDouble(i -> 100 - i).toArray();
      assertThat(WarmUpDetector.length(trend)).as("%s", length).isEqualTo(-1);
    }
  }

  @Test
  void shouldIgnoreOutlierInTheMiddle() {
    double[] series = IntStream.range(0, 100).mapToDouble(i -> i == 70 ? 9 : 5).toArray();

    assertThat(WarmUpDetector.length(series)).isZero();
  }

  @Test
  void shouldCutLeadingSecondsWithoutFigures() {
    double[] series = IntStream.range(0, 100).mapToDouble(i -> i < 12 ? Double.NaN : 5).toArray();

    assertThat(WarmUpDetector.length(series)).isEqualTo(10);
  }

  @Test
  void shouldNotTreatGrowingSeriesAsSteady() {
    assertThat(WarmUpDetector.length(series(100, i -> i))).isEqualTo(-1);
  }

  @Test
  void shouldNotTreatShortSeriesAsSteady() {
    assertThat(WarmUpDetector.length(series(34, i -> 5))).isEqualTo(-1);
    assertThat(WarmUpDetector.length()).isEqualTo(-1);
  }

  @Test
  void shouldIgnoreSecondsWithoutMessages() {
    double[] series =
        IntStream.range(0, 100).mapToDouble(i -> i % 2 == 1 ? Double.NaN : 5).toArray();

    assertThat(WarmUpDetector.length(series)).isZero();
  }

  private static double[] series(int length, IntToDoubleFunction mean) {
    return series(new Random(1), length, mean);
  }

  private static double[] series(Random random, int length, IntToDoubleFunction mean) {
    return IntStream.range(0, length)
        .mapToDouble(i -> mean.applyAsDouble(i) + random.nextGaussian() / 4)
        .toArray();
  }
}
