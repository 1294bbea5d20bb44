package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GatewayUsageTest {
  @Test
  void shouldUseMeasuredSecondsOnly() {
    // The warm-up until second 10 and the time after second 70 use ten times as much.
    GatewayUsage use =
        GatewayUsage.of(
            run(s -> s <= 10 ? 5.0 * s : 50 + 0.5 * (s - 10) + 9 * Math.max(0, s - 70)));

    assertThat(use.seconds()).isEqualTo(60);
    assertThat(use.cores()).isCloseTo(0.5, within(1e-9));
    assertThat(use.frames()).isEqualTo(1000);
    assertThat(use.bytes()).isEqualTo(500_000);
    assertThat(use.messages()).isEqualTo(20);
    assertThat(use.microsPerFrame()).hasSize(10);
    assertThat(use.microsPerFrame()[3]).isCloseTo(500, within(1e-6));
    assertThat(use.meanMicrosPerFrame()).isCloseTo(500, within(1e-6));
  }

  @Test
  void shouldOmitCostPerFrameWithoutCpuMetrics() {
    GatewayUsage use = GatewayUsage.of(run(second -> 0));

    assertThat(use.isKnown()).isTrue();
    assertThat(use.hasCost()).isFalse();
  }

  @Test
  void shouldBeUnknownWithoutSamples() {
    MeasuredRun run = Samples.run(1, 100, 800, 1);
    MeasuredRun silent =
        new MeasuredRun(
            1,
            run.load(),
            run.from(),
            10,
            true,
            60,
            run.clients(),
            null,
            List.of(),
            List.of(),
            List.of(),
            null,
            null);

    assertThat(GatewayUsage.of(silent).isKnown()).isFalse();
  }

  private interface Cpu {
    double at(int second);
  }

  private static MeasuredRun run(Cpu cpu) {
    List<GatewaySample> samples =
        IntStream.rangeClosed(0, 80)
            .mapToObj(
                s ->
                    new GatewaySample(
                        s, cpu.at(s), 1, 2, 3, 1000L * s, 500_000L * s, 20L * s, 0, 0))
            .toList();
    LoadProfile load = new LoadProfile(100, 1, 1, 10, 512);
    return new MeasuredRun(
        1, load, null, 10, true, 60, List.of(), null, List.of(), List.of(), samples, null, null);
  }
}
