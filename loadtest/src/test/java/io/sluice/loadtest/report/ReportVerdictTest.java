package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.report.Assessment.Answer;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportVerdictTest {
  private static final MeasuredRun RUN = Samples.run(1, 100, 800, 1);

  @Test
  void shouldAnswerAllQuestionsOfSeveralRuns() {
    Measurement measurement = Samples.limited(Map.of("maxP99", "50"), runs(5));

    assertThat(ReportVerdict.of(measurement))
        .extracting(Assessment::answer)
        .containsOnly(Answer.YES);
    assertThat(text(measurement, "Delivered"))
        .isEqualTo("90,000 measured messages arrived once and in order.");
    assertThat(text(measurement, "Objective met"))
        .matches("p99 [0-9.]+ ± [0-9.]+ ms, limit 50 ms\\.");
    assertThat(text(measurement, "Confidence"))
        .matches("5 runs, p99 ± \\d+ % for further runs with the same processes\\.");
  }

  @Test
  void shouldNameRunsThatDidNotSettle() {
    MeasuredRun second = unsettled(Samples.run(2, 100, 800, 2));
    Measurement measurement = Samples.limited(Map.of("maxP99", "50"), RUN, second);

    assertThat(answer(measurement, "Settled")).isEqualTo(Answer.NO);
    assertThat(text(measurement, "Settled")).startsWith("No steady state in run 2 of 2,");
    assertThat(answer(measurement, "Objective met")).isEqualTo(Answer.UNDECIDED);
  }

  @Test
  void shouldNameFaultsOfTheDelivery() {
    List<ClientResult> clients = new ArrayList<>(RUN.clients());
    ClientResult first = clients.get(0);
    clients.set(
        0,
        new ClientResult(0, "stocks.0", 597, 3, 1, 0, 2, 0, first.sinceDue(), first.sinceBroker()));
    Measurement measurement = Samples.measurement(Samples.with(RUN, clients));

    assertThat(answer(measurement, "Delivered")).isEqualTo(Answer.NO);
    assertThat(text(measurement, "Delivered"))
        .isEqualTo("lost: 3, duplicates: 1, gaps: 2. Received: 17,997.");
  }

  @Test
  void shouldDecideAgainstTheWholeInterval() {
    MeasuredRun[] runs = runs(5);
    double[] p99 =
        LoadStep.of(Samples.measurement(runs)).get(0).means(Since.DUE, LatencyMetric.P99);
    double mean = Arrays.stream(p99).average().orElseThrow();

    assertThat(answer(Samples.limited(Map.of("maxP99", "" + mean), runs), "Objective met"))
        .isEqualTo(Answer.UNDECIDED);
    assertThat(answer(Samples.limited(Map.of("maxP99", "0.1"), runs), "Objective met"))
        .isEqualTo(Answer.NO);
    assertThat(
            answer(
                Samples.limited(Map.of("maxP99", "50", "maxMean", "0.1"), runs), "Objective met"))
        .isEqualTo(Answer.NO);
    assertThat(answer(Samples.limited(Map.of("maxP99", "0.0"), runs), "Objective met"))
        .isEqualTo(Answer.UNDECIDED);
  }

  @Test
  void shouldNameTheLargestLoadThatMetTheObjective() {
    Measurement measurement =
        Samples.limited(
            Map.of("objective", "20"),
            Samples.run(1, 1000, 800, 1),
            Samples.run(2, 2000, 900, 2),
            Samples.run(3, 3000, 20_000, 3));

    assertThat(answer(measurement, "Objective met")).isEqualTo(Answer.YES);
    assertThat(text(measurement, "Objective met"))
        .startsWith("Up to 2,000 clients, 100 topics × 10/s × 512 B. Exceeded with 3,000 clients")
        .endsWith(" ms, limit 20 ms.");
    assertThat(
            answer(
                Samples.limited(Map.of("objective", "0.2"), RUN, Samples.run(2, 200, 900, 2)),
                "Objective met"))
        .isEqualTo(Answer.NO);
  }

  @Test
  void shouldNotTrustOneRunAndQualifyTwo() {
    assertThat(answer(Samples.measurement(RUN), "Confidence")).isEqualTo(Answer.NO);
    assertThat(text(Samples.measurement(RUN), "Confidence")).startsWith("One run. The intervals");
    Measurement two = Samples.measurement(runs(2));
    assertThat(answer(two, "Confidence")).isEqualTo(Answer.UNDECIDED);
    assertThat(text(two, "Confidence")).endsWith("Further runs narrow the interval.");
  }

  @Test
  void shouldNotDecideWithASingleClient() {
    MeasuredRun alone = Samples.with(RUN, RUN.clients().subList(0, 1));

    Measurement measurement = Samples.limited(Map.of("maxP99", "50"), alone);
    assertThat(answer(measurement, "Objective met")).isEqualTo(Answer.UNDECIDED);
    assertThat(text(measurement, "Objective met")).contains("ms, limit 50 ms.");
  }

  private static MeasuredRun[] runs(int count) {
    MeasuredRun[] runs = new MeasuredRun[count];
    for (int i = 0; i < count; i++) {
      runs[i] = Samples.run(i + 1, 100, 800, i + 1);
    }
    return runs;
  }

  private static MeasuredRun unsettled(MeasuredRun run) {
    return new MeasuredRun(
        run.number(),
        run.load(),
        run.from(),
        run.warmUpSeconds(),
        false,
        run.seconds(),
        run.clients(),
        run.connects(),
        run.timeline(),
        run.events(),
        run.gateway(),
        run.loadGenerators(),
        null);
  }

  private static Answer answer(Measurement measurement, String question) {
    return assessment(measurement, question).answer();
  }

  private static String text(Measurement measurement, String question) {
    return assessment(measurement, question).text();
  }

  private static Assessment assessment(Measurement measurement, String question) {
    return ReportVerdict.of(measurement).stream()
        .filter(assessment -> assessment.question().equals(question))
        .findFirst()
        .orElseThrow();
  }
}
