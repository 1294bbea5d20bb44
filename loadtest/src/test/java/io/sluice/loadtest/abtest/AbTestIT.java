package io.sluice.loadtest.abtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.loadtest.report.Comparison;
import io.sluice.loadtest.report.ComparisonOptions;
import io.sluice.loadtest.report.ComparisonText;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests A/B tests with a broker, a feed, and gateways that are restarted for each run. */
class AbTestIT {
  /** Time to start and to stop a system. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Null until a test needs it. */
  private static BrokerAndFeed broker;

  @TempDir private Path folder;

  private final List<String> log = new ArrayList<>();

  private static BrokerAndFeed broker() throws IOException {
    if (broker == null) {
      broker = BrokerAndFeed.start();
    }
    return broker;
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  @Tag("full")
  @Test
  void shouldMeasureRestartedSystemsInBlocks() throws Exception {
    SystemUnderTest system = broker().gateway("a");

    AbTest.Result result = test(system, system.named("b"), 2).run();

    assertThat(result.violations()).isEmpty();
    assertThat(log).first().asString().startsWith("seed 5, 2 blocks");
    Measurement a = Measurement.read(result.baselineFile());
    Measurement b = Measurement.read(result.candidateFile());
    assertThat(a.runs()).hasSize(2).allSatisfy(run -> assertThat(run.clients()).hasSize(5));
    assertThat(a.runs())
        .allSatisfy(run -> assertThat(run.loadGenerators().clients()).isEqualTo(15));
    assertThat(a.runs()).extracting(run -> run.origin().block()).containsExactly(1, 2);
    List<MeasuredRun> all = new ArrayList<>(a.runs());
    all.addAll(b.runs());
    assertThat(all).allMatch(run -> run.origin().restarted());
    assertThat(all.stream().map(MeasuredRun::process).distinct()).hasSize(4);
    Comparison comparison = Comparison.of(a, b, ComparisonOptions.DEFAULT);
    assertThat(comparison.isConclusive()).isTrue();
    assertThat(ComparisonText.of(comparison)).contains("2 blocks", "newly started process", "CPU");
  }

  @Tag("full")
  @Test
  void shouldNotRestartRunningSystem() throws Exception {
    SystemUnderTest system = broker().gateway("a");
    SystemUnderTest running =
        new SystemUnderTest(
            "a", Optional.empty(), system.url(), system.metrics(), Optional.empty());
    try (SystemProcess gateway = start(system)) {
      assertThat(gateway.isAlive()).isTrue();

      AbTest.Result result = test(running, running.named("b"), 2).run();

      assertThat(result.baseline().runs())
          .allSatisfy(run -> assertThat(run.process()).startsWith(system.url() + " started 20"))
          .allSatisfy(run -> assertThat(run.origin().restarted()).isFalse());
      Comparison comparison =
          Comparison.of(result.baseline(), result.candidate(), ComparisonOptions.DEFAULT);
      assertThat(comparison.isConclusive()).isFalse();
      assertThat(ComparisonText.of(comparison)).contains("The systems were not restarted.");

      // Its port is in use.
      assertThatThrownBy(() -> test(system, system.named("b"), 2).run())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("responds before the system was started");
    }
  }

  @Test
  void shouldNameSystemThatDoesNotStart() {
    URI url = URI.create("ws://127.0.0.1:1/ws");
    SystemUnderTest broken =
        new SystemUnderTest("a", Optional.of("false"), url, Optional.empty(), Optional.empty());

    assertThatThrownBy(() -> test(broken, broken.named("b"), 2).run())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("block 1 of 2, system ")
        .hasMessageContaining("ended with status 1 before it was ready; its output is in ");
  }

  private SystemProcess start(SystemUnderTest system) throws IOException, InterruptedException {
    return SystemProcess.start(system, folder.resolve("running.log"), LIMIT, LIMIT);
  }

  private AbTest test(SystemUnderTest a, SystemUnderTest b, int blocks) {
    Properties load = BrokerAndFeed.load();
    load.setProperty("clients", "20");
    load.setProperty("measured", "5");
    load.setProperty("duration", "3");
    load.setProperty("tolerance", "100");
    return new AbTest(
        new AbTestPlan(a, b, blocks, 5, load, LIMIT, LIMIT, folder, "sluice ab-test"),
        name -> "--" + name,
        log::add);
  }
}
