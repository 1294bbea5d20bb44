package io.sluice.loadtest.broker.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.broker.price.PriceFiles;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Mode;
import io.sluice.loadtest.broker.workload.Persistence;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TablesTest {
  @Test
  void shouldCalculateDiskPartWithinSameRun() {
    CaseResult persistent = result(Persistence.PERSISTENT, run(1_000, null), run(1_500, null));
    CaseResult other = result(Persistence.NON_PERSISTENT, run(400, null), run(300, null));

    assertThat(Tables.disk(persistent, List.of(persistent, other))).containsExactly(600, 1_200);
  }

  @Test
  void shouldOmitDiskPartWithoutNonPersistentRuns() {
    CaseResult persistent = result(Persistence.PERSISTENT, run(1_000, null));

    assertThat(Tables.disk(persistent, List.of(persistent))).containsOnly(Double.NaN);
    assertThat(Tables.steps(List.of(persistent))).contains(" 1000.0 |").doesNotContain("disk part");
  }

  @Test
  void shouldHaveColumnOfTheDiskOnlyIfMessagesAreStored() {
    CaseResult other = result(Persistence.NON_PERSISTENT, run(400, null));
    CaseResult queue = result(Persistence.PERSISTENT, run(1_000, null));
    assertThat(Tables.steps(List.of(queue, other)))
        .contains("| disk part |", "|               1000.0 |     600.0 |")
        .contains("|                400.0 |         – |");
    assertThat(Tables.steps(List.of(other))).doesNotContain("disk part");

    List<CaseResult> forwarded = List.of(ofTopic(false, queue), ofTopic(false, other));
    assertThat(Tables.steps(forwarded)).contains(" 1000.0 |").doesNotContain("disk part");
    List<CaseResult> stored = List.of(ofTopic(true, queue), ofTopic(true, other));
    assertThat(Tables.steps(stored)).contains("disk part", " 600.0 |");
  }

  private static CaseResult ofTopic(boolean durable, CaseResult result) {
    BrokerWorkload queue = BrokerWorkload.plain();
    BrokerWorkload topic =
        new BrokerWorkload(
            "topic 1-1",
            Mode.TOPIC,
            1,
            0,
            1,
            1,
            1,
            0,
            4,
            queue.type(),
            queue.size(),
            0,
            durable,
            queue.acknowledge(),
            "",
            false,
            PriceFiles.NONE);
    return new CaseResult("topic", topic, result.delivery(), "broker 1", result.runs());
  }

  @Test
  void shouldIncludeShareOfCommit() {
    Map<MessageStep, DurationSummary> steps = new EnumMap<>(MessageStep.class);
    steps.put(MessageStep.SEND, figures(10, 2));
    steps.put(MessageStep.COMMIT, figures(2, 100));
    steps.put(MessageStep.DECODE, figures(5, 1));
    steps.put(MessageStep.ACKNOWLEDGE, figures(1, 50));
    TrialResult run = run(steps, 0L);

    assertThat(run.confirmation()).isCloseTo(22, within(1e-9));
    assertThat(run.acknowledge()).isCloseTo(10, within(1e-9));
  }

  @Test
  void shouldSumLossesUnlessUnknown() {
    CaseResult known = result(Persistence.PERSISTENT, run(1, 2L), run(1, 3L));
    CaseResult unknown = result(Persistence.PERSISTENT, run(1, 2L), run(1, null));

    assertThat(Tables.rates(List.of(known))).contains("|    5 |          0 |");
    assertThat(Tables.rates(List.of(unknown))).contains("|    – |          0 |");
  }

  @Test
  void shouldReportRowPerBlockSize() {
    List<DiskResult> run = new ArrayList<>();
    for (int block : DiskResult.BLOCKS) {
      for (DiskResult.Access way : DiskResult.Access.values()) {
        run.add(new DiskResult(way, block, 2_048, figures(1, 1_000)));
      }
    }

    String text = Tables.disk(List.of(run));

    assertThat(text.lines()).hasSize(2 + DiskResult.BLOCKS.size());
    assertThat(text.lines().filter(line -> line.startsWith("| 1024 B")).findFirst().orElseThrow())
        .contains("|             2 |")
        .contains("1.00");
  }

  private static CaseResult result(Persistence delivery, TrialResult... runs) {
    return new CaseResult("queue", BrokerWorkload.plain(), delivery, "broker 1", List.of(runs));
  }

  private static TrialResult run(double sendMicros, Long lost) {
    return run(Map.of(MessageStep.SEND, figures(1, sendMicros)), lost);
  }

  private static TrialResult run(Map<MessageStep, DurationSummary> steps, Long lost) {
    TrialResult.Rates rates = new TrialResult.Rates(2, 10, 10, 0);
    return new TrialResult(Persistence.PERSISTENT, rates, steps, lost, 0, 0, true, List.of());
  }

  private static DurationSummary figures(long count, double mean) {
    return new DurationSummary(count, mean, mean, mean, mean, mean, mean);
  }
}
