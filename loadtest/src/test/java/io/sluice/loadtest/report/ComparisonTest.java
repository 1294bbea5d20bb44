package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.RunOrigin;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import io.sluice.loadtest.statistics.PairedRatios;
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
            before.means(Since.DUE, LatencyMetric.MEAN),
            after.means(Since.DUE, LatencyMetric.MEAN));
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
    Comparison allowed = Comparison.of(SLOW, other, options(Since.DUE, true));
    assertThat(ComparisonText.of(allowed)).contains("- clients: baseline 1000, candidate 2000\n");
  }

  @Test
  void shouldComparePairsOfBlocks() {
    Measurement a = blocks("a", 1000, true);
    Measurement b = blocks("b", 1300, true);

    Comparison comparison = Comparison.of(a, b, ComparisonOptions.DEFAULT);

    Difference mean = comparison.steps().get(0).differences().get(0);
    assertThat(mean.isRatio()).isTrue();
    assertThat(mean.interval())
        .isEqualTo(
            PairedRatios.change(
                LoadStep.of(a).get(0).means(Since.DUE, LatencyMetric.MEAN),
                LoadStep.of(b).get(0).means(Since.DUE, LatencyMetric.MEAN)));
    assertThat(mean.verdict()).isEqualTo(Difference.Verdict.HIGHER);
    assertThat(ComparisonText.of(comparison)).contains("8 blocks contain", "newly started process");
    assertThat(Comparison.of(a, a, ComparisonOptions.DEFAULT).isDifferent()).isFalse();
    Measurement tenfold = blocks("b", 13_000, true);
    assertThat(ComparisonText.of(Comparison.of(a, tenfold, ComparisonOptions.DEFAULT)))
        .containsPattern("\\| ×13 \\(×1[23] to ×1[34]\\) \\| slower \\|");
  }

  @Test
  void shouldHaveNoVerdictFromProcessesThatWereNotRestarted() {
    Measurement a = blocks("a", 1000, false);
    Measurement b = blocks("b", 1300, false);

    Comparison comparison = Comparison.of(a, b, ComparisonOptions.DEFAULT);

    assertThat(comparison.isConclusive()).isFalse();
    assertThat(comparison.isDifferent()).isFalse();
    assertThat(ComparisonText.of(comparison))
        .contains("The systems were not restarted.", "no verdict about further processes")
        .doesNotContain("Holm");
  }

  @Test
  void shouldTreatRunsOfAProcessAsOneSample() {
    Measurement two =
        Samples.measurement(process(1, "p"), process(2, "p"), process(3, "q"), process(4, "q"));
    Measurement other =
        Samples.measurement(process(5, "r"), process(6, "r"), process(7, "s"), process(8, "s"));

    Comparison comparison = Comparison.of(two, other, ComparisonOptions.DEFAULT);

    assertThat(comparison.isConclusive()).isTrue();
    assertThat(comparison.steps().get(0).differences().get(0).interval().samples()).isEqualTo(4);
    assertThat(ComparisonText.of(comparison)).contains("A sample is a process");
    assertThat(LoadStep.of(two).get(0).samples(Since.DUE, LatencyMetric.MEAN)).hasSize(2);
  }

  @Test
  void shouldWarnAboutFewMessagesAndShortRuns() {
    assertThat(ComparisonText.of(compare(SLOW, FAST)))
        .contains("the messages of a client of the baseline, 600: p99 (1,000), p99.9 (10,000).");
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
            .map(c -> Samples.client(c.number(), c.topic(), c.sinceDue(), null))
            .toList();
    assertThatThrownBy(
            () ->
                Comparison.of(
                    SLOW,
                    Samples.measurement(Samples.with(run, withoutBroker)),
                    options(Since.BROKER, false)))
        .hasMessage("the candidate has no latencies since the broker");
  }

  private static Comparison compare(Measurement a, Measurement b) {
    return Comparison.of(a, b, options(Since.DUE, false));
  }

  private static ComparisonOptions options(Since since, boolean allowDifferentLoads) {
    return new ComparisonOptions(since, allowDifferentLoads, true);
  }

  private static Measurement blocks(String system, double medianMicros, boolean restarted) {
    return Samples.measurement(
        IntStream.rangeClosed(1, 8)
            .mapToObj(
                block ->
                    Samples.run(block, LOAD, medianMicros, 6, block + system.hashCode())
                        .with(
                            block,
                            new RunOrigin(
                                "test",
                                system,
                                block,
                                1,
                                restarted,
                                system + (restarted ? block : ""))))
            .toArray(MeasuredRun[]::new));
  }

  private static MeasuredRun process(int number, String process) {
    return Samples.run(number, LOAD, 1000, 6, number).with(number, RunOrigin.of(process));
  }

  private static Measurement runs(LoadProfile load, double medianMicros, double micros, long seed) {
    return Samples.measurement(
        IntStream.range(0, 4)
            .mapToObj(i -> Samples.run(i + 1, load, medianMicros, micros, seed + i))
            .toArray(MeasuredRun[]::new));
  }
}
