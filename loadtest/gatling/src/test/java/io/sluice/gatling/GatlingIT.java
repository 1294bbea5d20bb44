package io.sluice.gatling;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestPublisher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests simulations in Gatling with a broker, a node and a feed. */
class GatlingIT {
  /** Gatling's exit code for assertions that do not hold. */
  private static final int ASSERTIONS_FAILED = 2;

  private static final String LAUNCHER = Path.of("..", "..", "gateway", "bin", "sluice").toString();

  @TempDir private static Path folder;

  private static ArtemisProcess broker;
  private static NodeProcess node;
  private static SluiceProcess feed;

  @BeforeAll
  static void startChain() {
    broker = ArtemisProcess.start();
    String settings =
        """
        broker.url: %s
        queues.send: ['>']
        queues.consume: ['>']
        server.compression: true
        """
            .formatted(broker.url());
    node = NodeProcess.start(folder, settings, List.of(LAUNCHER));
    feed =
        SluiceProcess.start(
            List.of(LAUNCHER), "feed", "--broker", broker.url(), "--topics", "20", "--rate", "10");
    feed.awaitLine("(.*) messages/s, .*");
  }

  @AfterAll
  static void endChain() {
    Stream.of(feed, node, broker)
        .forEach(
            process -> {
              try {
                if (process != null) {
                  process.close();
                }
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
  }

  @Tag("full")
  @Test
  void shouldReportAgesOfMessages() {
    SluiceProcess gatling = simulation("QuotesSimulation", "users=10", "seconds=4", "limit=5000");

    assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
    assertThat(count(gatling, "quotes subscribe")).isEqualTo(10);
    assertThat(count(gatling, "quotes check")).isEqualTo(10);
    assertThat(count(gatling, "quotes")).isGreaterThan(200);
  }

  @Tag("full")
  @Test
  void shouldFailWhenMessagesAreTooOld() {
    SluiceProcess gatling = simulation("QuotesSimulation", "users=2", "seconds=2", "limit=0");

    assertThat(gatling.exitCode()).isEqualTo(ASSERTIONS_FAILED);
    assertThat(text(gatling)).contains("age p99").contains("lt(0 ms)");
  }

  @Test
  void shouldPerformEveryAction() throws Exception {
    try (JmsResponder responder =
        JmsResponder.ofQueue(broker, "prices", JmsResponder.text("1.0934"))) {
      SluiceProcess gatling = simulation("ActionsSimulation");
      assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
      assertThat(responder.received()).isNotEmpty();
    }
  }

  @Tag("full")
  @Test
  void shouldPerformEveryActionWithJson() throws Exception {
    try (JmsResponder responder =
        JmsResponder.ofQueue(broker, "prices", JmsResponder.text("1.0934"))) {
      SluiceProcess gatling = simulation("ActionsSimulation", "json=true");
      assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
      assertThat(responder.received()).isNotEmpty();
    }
  }

  @Test
  void shouldReportFailures() throws Exception {
    SluiceProcess gatling;
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      gatling = simulation("FailuresSimulation");
      gatling.awaitLine("(Simulation .*FailuresSimulation started.*)");
      org.awaitility.Awaitility.await()
          .atMost(java.time.Duration.ofSeconds(60))
          .until(() -> broker.consumers("gaps") > 0);
      publisher.send("gaps", publisher.session().createObjectMessage("not forwarded"));
      publisher.text("gaps", "no JSON");
      assertThat(gatling.exitCode()).as("%s", lines(gatling)).isEqualTo(ASSERTIONS_FAILED);
    }
    assertThat(text(gatling))
        .contains("unauthorized: this node does not accept tokens")
        .containsPattern("> connect +\\| +2 +\\| +1 +\\| +1 *")
        .contains("invalid-topic: level 2 of")
        .contains("gap on gaps: unsupported")
        .contains("1 gap: gap on gaps: unsupported")
        .contains("payload is not JSON")
        .contains("of 5 messages within 100 ms")
        .contains("No attribute named 'nobody' is defined")
        .contains("no subscription or consumer is open with the name \"nothing\"")
        .contains("timeout: ")
        .contains("handshake refused: 404 Not Found");
  }

  /** Runs Gatling in a separate process. */
  private static SluiceProcess simulation(String name, String... parameters) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("-Durl=ws://" + node.address() + "/ws");
    Stream.of(parameters).forEach(parameter -> command.add("-D" + parameter));
    command.addAll(List.of("io.gatling.app.Gatling", "--simulation", "io.sluice.gatling." + name));
    command.addAll(List.of("--no-reports", "--results-folder", folder.toString()));
    return SluiceProcess.start(command);
  }

  /** Returns the number of successful responses of a request in Gatling's last summary. */
  private static int count(SluiceProcess gatling, String request) {
    return gatling.output().stream()
        .filter(line -> line.matches("> " + request + " +\\|.*"))
        .map(line -> line.split("\\|")[2].trim().replace(",", ""))
        .mapToInt(Integer::parseInt)
        .max()
        .orElse(0);
  }

  private static String text(SluiceProcess process) {
    return String.join("\n", lines(process));
  }

  private static List<String> lines(SluiceProcess process) {
    return Stream.concat(process.output().stream(), process.errors().stream()).toList();
  }
}
