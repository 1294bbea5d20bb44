package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final LoadProfile LOAD = new LoadProfile(1000, 30, 100, 10, 512);
  private static final Measurement SLOW = runs(LOAD, 1000, 6, 1);
  private static final Measurement SLOW_AGAIN = runs(LOAD, 1000, 6, 11);
  private static final Measurement FAST = runs(LOAD, 700, 4, 21);

  @Test
  void shouldShowFasterGatewayAsBetter() {
    Comparison comparison = compare(SLOW, FAST);

    List<Difference> differences = comparison.steps().get(0).differences();
    assertThat(differences)
        .extracting(Difference::metric)
        .containsExactly(
            "mean, ms",
            "p50, ms",
            "p95, ms",
            "p99, ms",
            "p99.9, ms",
            "gateway's CPU per frame, µs");
    assertThat(differences).extracting(Difference::verdict).containsOnly(Difference.Verdict.LOWER);
    assertThat(differences.get(5).interval().estimate()).isCloseTo(-2, within(0.1));
    assertThat(comparison.isWorse()).isFalse();
    assertThat(compare(FAST, SLOW).isWorse()).isTrue();
    assertThat(ComparisonText.of(comparison)).contains("| faster |", "| cheaper |", " -3");
    assertThat(ComparisonText.of(compare(FAST, SLOW)))
        .contains("| slower |", "| more expensive |", " +");
  }

  @Test
  void shouldShowNoDifferenceBetweenEqualMeasurements() {
    Comparison comparison = compare(SLOW, SLOW_AGAIN);

    assertThat(comparison.steps().get(0).differences())
        .extracting(Difference::verdict)
        .containsOnly(Difference.Verdict.NOT_SHOWN);
    assertThat(ComparisonText.of(comparison)).contains("| no significant difference |");
  }

  @Test
  void shouldCompareRunsIfBothSidesHaveSeveral() {
    Difference mean = compare(SLOW, FAST).steps().get(0).differences().get(0);

    LoadStep before = LoadStep.of(SLOW).get(0);
    LoadStep after = LoadStep.of(FAST).get(0);
    Interval expected =
        Intervals.difference(
            before.means(Since.SENT, LatencyMetric.MEAN),
            after.means(Since.SENT, LatencyMetric.MEAN));
    assertThat(mean.interval()).isEqualTo(expected);
    assertThat(ComparisonText.of(compare(SLOW, FAST))).contains("A sample is a run's mean");
  }

  @Test
  void shouldCompareClientsOtherwiseWithNote() {
    Measurement single = Samples.measurement(Samples.run(1, LOAD, 1000, 6, 5));

    Comparison comparison = compare(single, FAST);

    assertThat(comparison.steps().get(0).differences().get(0).interval().samples())
        .isEqualTo(30 + 4 * 30);
    assertThat(ComparisonText.of(comparison))
        .contains("This is weaker evidence: clients of one run share its random conditions");
  }

  @Test
  void shouldCorrectVerdictsForAllMetrics() {
    Comparison comparison = compare(SLOW, FAST);
    Difference least = comparison.steps().get(0).differences().get(5);

    double alone =
        Intervals.pValue(
            LoadStep.of(SLOW).get(0).cpuSamples(), LoadStep.of(FAST).get(0).cpuSamples());
    assertThat(least.pValue()).isGreaterThan(alone).isLessThanOrEqualTo(6 * alone * 1.000001);
    assertThat(ComparisonText.of(comparison)).contains("corrected for the 6 metrics");
  }

  @Test
  void shouldRejectDifferentLoads() {
    Measurement other = runs(new LoadProfile(2000, 30, 100, 10, 256), 1000, 6, 3);

    assertThatThrownBy(() -> compare(SLOW, other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the measurements have different loads, which makes them incomparable (see"
                + " --allow-different-loads): clients: baseline 1000, candidate 2000; payload, B:"
                + " baseline 512, candidate 256");
    Comparison allowed = Comparison.of(SLOW, other, Since.SENT, true);
    assertThat(ComparisonText.of(allowed)).contains("- clients: baseline 1000, candidate 2000\n");
  }

  @Test
  void shouldCompareStepsWithEqualLoads() {
    MeasuredRun small = Samples.run(1, new LoadProfile(500, 30, 100, 10, 512), 600, 6, 1);
    MeasuredRun large = Samples.run(2, LOAD, 1000, 6, 2);

    Comparison comparison =
        compare(Samples.measurement(small, large), Samples.measurement(large, small));

    assertThat(comparison.steps())
        .extracting(Comparison.ComparedStep::load)
        .containsExactly(small.load(), LOAD);
    assertThat(comparison.isWorse()).isFalse();
    assertThat(comparison.steps().get(0).differences().get(0).interval().estimate()).isZero();
    assertThatThrownBy(() -> compare(SLOW, Samples.measurement(small, large)))
        .hasMessage("the baseline has 1 load steps, the candidate has 2");
  }

  @Test
  void shouldListOtherDifferences() {
    Measurement other =
        new Measurement(
            1,
            "Ticker",
            SLOW.startedAt(),
            "",
            Map.of("clients", "2000", "encoding", "json"),
            SLOW.machine(),
            Map.of("gateway", "0.2.0"),
            SLOW.clock(),
            SLOW.runs());

    assertThat(compare(SLOW, other).setupDifferences())
        .containsExactly(
            "version of gateway: baseline 0.1.0, candidate 0.2.0",
            "version of java: baseline 25, candidate none",
            "parameter encoding: baseline bin, candidate json");
  }

  @Test
  void shouldNameInvalidMeasurement() {
    assertThatThrownBy(() -> compare(SLOW, Samples.measurement()))
        .hasMessage("the candidate: Ticker has no runs");
    MeasuredRun run = Samples.run(1, LOAD, 1000, 6, 5);
    List<ClientResult> single = run.clients().subList(0, 1);
    assertThatThrownBy(() -> compare(Samples.measurement(Samples.with(run, single)), SLOW))
        .hasMessageContaining("two measured clients on each side");
    List<ClientResult> withoutBroker =
        run.clients().stream()
            .map(c -> Samples.client(c.number(), c.topic(), c.sinceSent(), null))
            .toList();
    assertThatThrownBy(
            () ->
                Comparison.of(
                    SLOW,
                    Samples.measurement(Samples.with(run, withoutBroker)),
                    Since.BROKER,
                    false))
        .hasMessage("the candidate has no latencies since the broker");
  }

  private static Comparison compare(Measurement a, Measurement b) {
    return Comparison.of(a, b, Since.SENT, false);
  }

  private static Measurement runs(LoadProfile load, double medianMicros, double micros, long seed) {
    return Samples.measurement(
        IntStream.range(0, 4)
            .mapToObj(i -> Samples.run(i + 1, load, medianMicros, micros, seed + i))
            .toArray(MeasuredRun[]::new));
  }
}
