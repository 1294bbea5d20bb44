package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.broker.Bench.Case;
import io.sluice.loadtest.broker.price.PriceFiles;
import io.sluice.loadtest.broker.price.PriceUpdate;
import io.sluice.loadtest.broker.price.ReplayedPrices;
import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JmsProvider;
import io.sluice.loadtest.broker.result.BrokerMeasurement;
import io.sluice.loadtest.broker.result.CaseResult;
import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.result.TrialResult;
import io.sluice.loadtest.broker.workload.Acknowledge;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.broker.workload.MessageType;
import io.sluice.loadtest.broker.workload.Mode;
import io.sluice.loadtest.broker.workload.Persistence;
import io.sluice.loadtest.broker.workload.Preset;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/**
 * Short measurements with a broker. They verify delivery and timing of all messages, not
 * performance.
 */
final class BenchScene {
  private final JmsProvider provider;
  private final String url;

  BenchScene(JmsProvider provider, String url) {
    this.provider = provider;
    this.url = url;
  }

  BrokerTarget target() {
    return target("bench", false);
  }

  private BrokerTarget target(String destinations, boolean existing) {
    return new BrokerTarget(
        provider, url, "", "", "bench", destinations, existing, Map.of(), "", null);
  }

  /** Runs a workload with a few messages per run. */
  private CaseResult run(BrokerWorkload workload) throws Exception {
    Case row =
        new Case(workload.name(), workload, Persistence.PERSISTENT, BrokerSource.of(target()));
    return new Bench(someMessages(2), line -> {}).run(List.of(row)).get(0);
  }

  static Length someMessages(int runs) {
    return new Length(
        Duration.ofMillis(50),
        Duration.ofMillis(50),
        Duration.ofMillis(50),
        20,
        0,
        Duration.ofSeconds(30),
        runs);
  }

  /** Tests two workloads that cover all options and differ in each. */
  void shouldDeliverAllMessagesOnce() throws Exception {
    BrokerWorkload queue =
        workload(Mode.QUEUE, 2, 2, 3, 4, 0, MessageType.MAP, false, Acknowledge.CLIENT, "");
    BrokerWorkload topic =
        workload(Mode.TOPIC, 2, 2, 3, 4, 7, MessageType.BYTES, true, Acknowledge.AUTO, "");

    assertComplete(run(queue));
    CaseResult durable = run(topic);

    assertComplete(durable);
    assertThat(durable.runs().get(0).steps().keySet())
        .containsExactlyInAnyOrderElementsOf(
            EnumSet.complementOf(
                EnumSet.of(MessageStep.READ, MessageStep.RECORD, MessageStep.REPLY)));
  }

  /** Tests that a JNDI lookup works like a URL. */
  void shouldMeasureBrokerFoundByJndi(Map<String, String> environment, String name)
      throws Exception {
    BrokerTarget found =
        new BrokerTarget(
            JmsProvider.JNDI, null, "", "", "bench", "jndi", false, environment, name, null);
    BrokerWorkload plain =
        workload(Mode.QUEUE, 1, 1, 1, 1, 0, MessageType.TEXT, false, Acknowledge.AUTO, "");
    Case row = new Case("jndi", plain, Persistence.PERSISTENT, BrokerSource.of(found));

    assertComplete(new Bench(someMessages(2), line -> {}).run(List.of(row)).get(0));
  }

  /** Tests that results are kept when a broker or a gateway fails later. */
  void shouldContinueWithOtherRowsAfterFailure() throws Exception {
    BrokerWorkload plain =
        workload(Mode.TOPIC, 1, 1, 1, 1, 0, MessageType.TEXT, false, Acknowledge.AUTO, "");
    BrokerTarget gone =
        new BrokerTarget(
            JmsProvider.CLASSIC,
            "tcp://127.0.0.1:1",
            "",
            "",
            "bench",
            "gone",
            false,
            Map.of(),
            "",
            null);
    Case good = new Case("good", plain, Persistence.PERSISTENT, BrokerSource.of(target()));
    Case bad = new Case("bad", plain, Persistence.PERSISTENT, BrokerSource.of(gone));
    Bench bench = new Bench(someMessages(2), line -> {});

    List<CaseResult> results = bench.run(List.of(good, bad));

    assertThat(results).extracting(CaseResult::name).containsExactly("good");
    assertComplete(results.get(0));
    assertThat(bench.failures())
        .singleElement()
        .asString()
        .startsWith("bad, persistent: run 1 failed: ");
  }

  /** Tests that a selector filters messages and that losses are then unknown. */
  void shouldDeliverSelectedMessagesOnly() throws Exception {
    BrokerWorkload half =
        workload(Mode.TOPIC, 1, 1, 1, 1, 0, MessageType.TEXT, false, Acknowledge.AUTO, "p0 < 5");
    Length shortPatience =
        new Length(
            Duration.ZERO,
            Duration.ofMillis(50),
            Duration.ofMillis(50),
            100,
            0,
            Duration.ofSeconds(1),
            1);

    TrialResult result =
        new Trial(target(), half, Persistence.NON_PERSISTENT, shortPatience, 1, interval -> {})
            .run();

    assertThat(result.lost()).isNull();
    assertThat(result.steps().get(MessageStep.SEND).count()).isPositive();
    assertThat(result.rates().received()).isLessThan(result.rates().sent());
  }

  /** Tests that messages of an earlier run in a queue are reported separately. */
  void shouldCountMessagesOfOtherRunsAsForeign() throws Exception {
    BrokerWorkload plain = BrokerWorkload.plain();
    BrokerTarget existing = target("left", true);
    TrialPhase phase = new TrialPhase();
    try (Producers earlier =
        Producers.open(existing, plain, Persistence.PERSISTENT, someMessages(1), 78, phase)) {
      phase.measure();
      earlier.start();
      earlier.join();
      phase.check();
    }

    TrialResult result =
        new Trial(existing, plain, Persistence.PERSISTENT, someMessages(1), 79, interval -> {})
            .run();

    assertThat(result.foreign()).isEqualTo(20);
    assertThat(result.lost()).isZero();
    assertThat(result.repeated()).isZero();
  }

  /** Tests several requesters and repliers. */
  void shouldReceiveReplyToEachRequest() throws Exception {
    BrokerWorkload requests = prices(MessageType.TEXT, Mode.QUEUE, 5, 2, true, PriceFiles.NONE);

    CaseResult result = run(requests);

    assertComplete(result);
    assertThat(result.runs())
        .allSatisfy(
            run -> {
              assertThat(run.steps().get(MessageStep.REPLY).count()).isPositive();
              assertThat(run.steps().get(MessageStep.REPLY).mean())
                  .isGreaterThan(run.steps().get(MessageStep.ARRIVE).mean());
            });
  }

  /** Tests that a replayed recording contains the same prices as the first one. */
  void shouldRecordAndReplayPrices(MessageType type, Path folder) throws Exception {
    Path first = folder.resolve(type + "-1");
    Path second = folder.resolve(type + "-2");

    assertComplete(run(prices(type, Mode.TOPIC, 1, 2, false, new PriceFiles(first, true, null))));
    CaseResult replayed =
        run(prices(type, Mode.TOPIC, 1, 1, false, new PriceFiles(second, false, first)));

    assertComplete(replayed);
    List<PriceUpdate> recorded = updates(first);
    assertThat(recorded).hasSizeGreaterThanOrEqualTo(20);
    assertThat(updates(second)).isNotEmpty().isEqualTo(recorded.subList(0, updates(second).size()));
    assertThat(replayed.runs().get(0).steps()).containsKeys(MessageStep.READ, MessageStep.RECORD);
  }

  private static List<PriceUpdate> updates(Path file) throws IOException {
    List<PriceUpdate> updates = new ArrayList<>();
    try (ReplayedPrices prices = ReplayedPrices.open(file)) {
      while (prices.next()) {
        updates.add(prices.update());
      }
    }
    return updates;
  }

  private static BrokerWorkload prices(
      MessageType type,
      Mode mode,
      int producers,
      int consumers,
      boolean replyTo,
      PriceFiles files) {
    return new BrokerWorkload(
        "test",
        mode,
        1,
        0,
        1,
        producers,
        consumers,
        0,
        4,
        type,
        200,
        0,
        false,
        Acknowledge.AUTO,
        "",
        replyTo,
        files);
  }

  /** Tests a complete preset and its file. */
  void shouldReportRowPerWorkloadAndMode(Path json) throws Exception {
    BrokerMeasurement measurement =
        new BrokerBench(
                Preset.TRANSACTED,
                workload -> workload,
                Persistence.Choice.BOTH,
                List.of(),
                "",
                null,
                Duration.ZERO,
                target(),
                someMessages(2),
                line -> {})
            .run("the command");

    measurement.write(json);

    assertThat(measurement.complete()).isTrue();
    assertThat(measurement.results())
        .extracting(result -> result.name() + " " + result.delivery())
        .hasSize(8)
        .contains("5 topics 5-5 persistent", "queue 1-1 non-persistent");
    assertThat(measurement.toText()).contains("| topic 1-5").contains(" ± ");
    assertThat(json).content().contains("\"the command\"", "\"COMMIT\"", "\"cores\"");
  }

  static void assertComplete(CaseResult result) {
    assertThat(result.broker()).containsPattern("[0-9]+\\.[0-9]+");
    assertThat(result.runs())
        .hasSize(2)
        .allSatisfy(
            run -> {
              assertThat(run.drained()).isTrue();
              assertThat(run.lost()).isZero();
              assertThat(run.repeated()).isZero();
              assertThat(run.foreign()).isZero();
              assertThat(run.rates().sent()).isPositive();
              assertThat(run.steps()).containsKeys(MessageStep.MAKE, MessageStep.SEND);
              assertThat(run.intervals()).isNotEmpty();
            });
  }

  private static BrokerWorkload workload(
      Mode mode,
      int connections,
      int destinations,
      int producers,
      int consumers,
      int transaction,
      MessageType type,
      boolean durable,
      Acknowledge acknowledge,
      String selector) {
    return new BrokerWorkload(
        "test",
        mode,
        connections,
        1,
        destinations,
        producers,
        consumers,
        transaction,
        5,
        type,
        300,
        selector.isEmpty() ? 0 : 2,
        durable,
        acknowledge,
        selector,
        false,
        PriceFiles.NONE);
  }
}
