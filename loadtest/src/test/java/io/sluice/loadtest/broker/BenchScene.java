package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Short measurements at a broker. They prove that all arrives and all is timed, not how fast. */
final class BenchScene {
  private final Provider provider;
  private final String url;

  BenchScene(Provider provider, String url) {
    this.provider = provider;
    this.url = url;
  }

  Target target() {
    return target("bench", false);
  }

  private Target target(String destinations, boolean existing) {
    return new Target(provider, url, "", "", "bench", destinations, existing, Map.of(), "", null);
  }

  /** All runs of a workload, each of some messages. */
  private CaseResult run(Workload workload) throws Exception {
    Case row = new Case(workload.name(), workload, Delivery.PERSISTENT, Site.of(target()));
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

  /** Everything that a workload can have, in two that differ in all of it. */
  void allThatIsSentArrivesOnce() throws Exception {
    Workload queue =
        workload(Mode.QUEUE, 2, 2, 3, 4, 0, MessageType.MAP, false, Acknowledge.CLIENT, "");
    Workload topic =
        workload(Mode.TOPIC, 2, 2, 3, 4, 7, MessageType.BYTES, true, Acknowledge.AUTO, "");

    assertComplete(run(queue));
    CaseResult durable = run(topic);

    assertComplete(durable);
    assertThat(durable.runs().get(0).steps()).containsOnlyKeys(Step.values());
  }

  /** A lookup gives the same factory that a URL gives. */
  void aBrokerFoundByJndiIsMeasured(Map<String, String> environment, String name) throws Exception {
    Target found =
        new Target(Provider.JNDI, null, "", "", "bench", "jndi", false, environment, name, null);
    Workload plain =
        workload(Mode.QUEUE, 1, 1, 1, 1, 0, MessageType.TEXT, false, Acknowledge.AUTO, "");
    Case row = new Case("jndi", plain, Delivery.PERSISTENT, Site.of(found));

    assertComplete(new Bench(someMessages(2), line -> {}).run(List.of(row)).get(0));
  }

  /** What was measured is not lost when a broker, or a gateway, fails later. */
  void aRowThatFailsLeavesTheOthers() throws Exception {
    Workload plain =
        workload(Mode.TOPIC, 1, 1, 1, 1, 0, MessageType.TEXT, false, Acknowledge.AUTO, "");
    Target gone =
        new Target(
            Provider.CLASSIC,
            "tcp://127.0.0.1:1",
            "",
            "",
            "bench",
            "gone",
            false,
            Map.of(),
            "",
            null);
    Case good = new Case("good", plain, Delivery.PERSISTENT, Site.of(target()));
    Case bad = new Case("bad", plain, Delivery.PERSISTENT, Site.of(gone));
    Bench bench = new Bench(someMessages(2), line -> {});

    List<CaseResult> results = bench.run(List.of(good, bad));

    assertThat(results).extracting(CaseResult::name).containsExactly("good");
    assertComplete(results.get(0));
    assertThat(bench.failures())
        .singleElement()
        .asString()
        .startsWith("bad, persistent: run 1 failed: ");
  }

  /** With a selector, consumers get a part, and nobody can tell what is lost. */
  void aSelectorGivesConsumersAPart() throws Exception {
    Workload half =
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
        new Trial(target(), half, Delivery.NON_PERSISTENT, shortPatience, 1, interval -> {}).run();

    assertThat(result.lost()).isNull();
    assertThat(result.steps().get(Step.SEND).count()).isPositive();
    assertThat(result.rates().received()).isLessThan(result.rates().sent());
  }

  /** What an earlier run has left in a queue is told, and not taken for this one's. */
  void whatAnotherRunHasLeftIsForeign() throws Exception {
    Workload plain = Workload.plain();
    Target existing = target("left", true);
    Stage stage = new Stage();
    try (Producers earlier =
        Producers.open(existing, plain, Delivery.PERSISTENT, someMessages(1), 78, stage)) {
      stage.measure();
      earlier.start();
      earlier.join();
      stage.check();
    }

    TrialResult result =
        new Trial(existing, plain, Delivery.PERSISTENT, someMessages(1), 79, interval -> {}).run();

    assertThat(result.foreign()).isEqualTo(20);
    assertThat(result.lost()).isZero();
    assertThat(result.repeated()).isZero();
  }

  /** The whole of a preset, and a file of it. */
  void aPresetHasARowForEachWorkloadAndMode(Path json) throws Exception {
    BrokerMeasurement measurement =
        new BrokerBench(
                Preset.FOUR,
                workload -> workload,
                Delivery.Choice.BOTH,
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
              assertThat(run.steps()).containsKeys(Step.MAKE, Step.SEND);
              assertThat(run.intervals()).isNotEmpty();
            });
  }

  private static Workload workload(
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
    return new Workload(
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
        selector);
  }
}
