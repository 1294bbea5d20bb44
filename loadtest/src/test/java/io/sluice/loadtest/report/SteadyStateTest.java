package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.Second;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SteadyStateTest {
  private static final int SECONDS = 60;

  @Test
  void shouldHaveNoWarmUpOfConstantFigures() {
    assertThat(warmUp(i -> 1000, i -> 5000, i -> 6)).isZero();
  }

  @Test
  void shouldConsiderTailAndCost() {
    assertThat(warmUp(i -> 1000, i -> i < 15 ? 90_000 : 5000, i -> 6)).isEqualTo(15);
    assertThat(warmUp(i -> 1000, i -> 5000, i -> i < 10 ? 18 : 6)).isEqualTo(10);
    assertThat(warmUp(i -> 1000, i -> 5000, i -> 100 - i)).isEqualTo(-1);
  }

  @Test
  void shouldConsiderLatenciesWithoutMetrics() {
    assertThat(SteadyState.warmUpSeconds(timeline(i -> 1000, i -> 5000), List.of(), SECONDS))
        .isZero();
  }

  @Test
  void shouldNameTheNecessaryDuration() {
    MeasuredRun run = Samples.run(1, 100, 500, 1);

    assertThat(SteadyState.text(run)).isEqualTo("yes");
    assertThat(SteadyState.text(unsteady(run, 4, 30)))
        .isEqualTo("too short: 34 s, at least 35 s are necessary");
    assertThat(SteadyState.text(unsteady(run, 5, 30)))
        .isEqualTo("no: still changing after 35 s, measure at least 70 s");
  }

  private static int warmUp(
      IntToDoubleFunction mean, IntToLongFunction p99, IntToDoubleFunction microsPerFrame) {
    return SteadyState.warmUpSeconds(timeline(mean, p99), samples(microsPerFrame), SECONDS);
  }

  private static List<Second> timeline(IntToDoubleFunction mean, IntToLongFunction p99) {
    return IntStream.range(0, SECONDS)
        .mapToObj(i -> new Second(i, 300, mean.applyAsDouble(i), 900, p99.applyAsLong(i), 100_000))
        .toList();
  }

  private static List<GatewaySample> samples(IntToDoubleFunction microsPerFrame) {
    List<GatewaySample> samples = new ArrayList<>();
    double cpu = 0;
    for (int i = 0; i <= SECONDS; i++) {
      samples.add(new GatewaySample(i + 0.1, cpu, 0, 0, 0, 1000L * i, 0, 0, 0, 0));
      cpu += 1000 * microsPerFrame.applyAsDouble(i) / 1e6;
    }
    return samples;
  }

  private static MeasuredRun unsteady(MeasuredRun run, int warmUp, int seconds) {
    return new MeasuredRun(
        1,
        run.load(),
        run.from(),
        warmUp,
        false,
        seconds,
        run.clients(),
        null,
        run.timeline(),
        run.events(),
        run.gateway(),
        null,
        null);
  }
}
