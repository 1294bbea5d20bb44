package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestPublisher;
import io.sluice.gateway.broker.TestBroker;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of the SDK behind a load balancer, while nodes are killed under them. */
@Timeout(600)
final class FailoverIT {
  private static final Path READERS = Path.of("..", "js-client", "failover", "readers.mjs");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int CLIENTS = 100;
  private static final int TOPICS = 10;

  @TempDir private Path folder;

  /** One node, started by the command line. */
  private record Node(SluiceProcess process, int port, int adminPort) {
    static Node start(Path configuration) {
      SluiceProcess process = SluiceProcess.start("run", "--config", configuration.toString());
      int port = port(process, "Sluice listens at ws://127.0.0.1:(\\d+)/ws");
      int adminPort = port(process, "admin: http://127.0.0.1:(\\d+)/health/ready");
      SluiceProcess.awaitStatus("http://127.0.0.1:" + adminPort + "/health/ready", 200);
      return new Node(process, port, adminPort);
    }

    private static int port(SluiceProcess process, String line) {
      return Integer.parseInt(process.awaitLine(line).group(1));
    }

    double metric(String sample) {
      return SluiceProcess.get("http://127.0.0.1:" + adminPort + "/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith(sample + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
          .findFirst()
          .orElse(0);
    }
  }

  /** Publishes numbered messages, without a pause. */
  private static final class Numbers implements AutoCloseable {
    private final TestPublisher publisher;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final AtomicLong published = new AtomicLong();

    Numbers(TestBroker broker) throws Exception {
      publisher = new TestPublisher(broker.provider(), broker.url());
      clock.scheduleAtFixedRate(this::publish, 0, 5, TimeUnit.MILLISECONDS);
    }

    private void publish() {
      try {
        long number = published.get();
        publisher.text("failover." + number % TOPICS, "SEQ=" + (number / TOPICS + 1));
        published.incrementAndGet();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** Ends between two rounds of all topics and returns the last number of each. */
    long stop() throws InterruptedException {
      clock.shutdown();
      assertThat(clock.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
      while (published.get() % TOPICS != 0) {
        publish();
      }
      return published.get() / TOPICS;
    }

    @Override
    public void close() {
      clock.shutdownNow();
      try {
        publisher.close();
      } catch (jakarta.jms.JMSException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** The process of the clients. */
  private static final class Readers implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;

    Readers(int port) throws IOException {
      List<String> command = new ArrayList<>(List.of("node", READERS.toString()));
      command.add("ws://127.0.0.1:" + port + "/ws");
      command.add(String.valueOf(CLIENTS));
      for (int i = 0; i < TOPICS; i++) {
        command.add("failover." + i);
      }
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      out = process.inputReader();
      in = process.outputWriter();
    }

    JsonNode report() {
      try {
        in.write("report\n");
        in.flush();
        return JSON.readTree(out.readLine());
      } catch (IOException e) {
        throw new AssertionError("the readers have ended", e);
      }
    }

    JsonNode await(String what, Predicate<JsonNode> condition) {
      return org.awaitility.Awaitility.await(what)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(200))
          .until(this::report, report -> requireRight(report) && condition.test(report));
    }

    private static boolean requireRight(JsonNode report) {
      assertThat(report.get("wrong")).as("what came in a wrong place, of %s", report).isEmpty();
      return true;
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  private Path configuration(TestBroker broker) throws IOException {
    return Files.writeString(
        folder.resolve("node.yaml"),
        """
        server: {host: 127.0.0.1, port: 0}
        admin.port: 0
        broker: {provider: %s, url: "%s"}
        broker.canary.interval: 500ms
        timeouts.ping: 1s
        history.warm: [failover.>]
        history.messages: 20000
        history.bytes: 16MiB
        resume.margin: 2s
        """
            .formatted(broker.provider(), broker.url()));
  }

  private static boolean isEverybodyThere(JsonNode report) {
    return report.get("open").asInt() == CLIENTS && report.get("positioned").asInt() == CLIENTS;
  }

  private static boolean hasEverybody(JsonNode report, long number) {
    for (JsonNode least : report.get("least")) {
      if (least.asLong() < number) {
        return false;
      }
    }
    return true;
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldLoseNothingAndRepeatNothingWhenNodesAreKilled(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        Switchboard switchboard = new Switchboard();
        Numbers numbers = new Numbers(broker)) {
      Path configuration = configuration(broker);
      Node doomed = Node.start(configuration);
      Node next = Node.start(configuration);
      switchboard.add(doomed.port());
      switchboard.add(next.port());
      try (Readers readers = new Readers(switchboard.port())) {
        readers.await("all are there", FailoverIT::isEverybodyThere);
        for (int round = 0; round < 2; round++) {
          long startedMs = System.currentTimeMillis();
          readers.await(
              "positions that another node may trust",
              report ->
                  report.get("caughtUpMs").asLong() > 5_000
                      && report.get("caughtUpTo").asLong() > startedMs + 5_000);
          switchboard.remove(doomed.port());
          doomed.process().sigkill();
          long then = numbers.published.get() / TOPICS;
          readers.await(
              "all have moved",
              report -> isEverybodyThere(report) && hasEverybody(report, then + 1));
          assertThat(next.metric("sluice_resumes_total{recovered=\"true\"}")).isPositive();
          doomed.process().close();
          doomed = next;
          next = Node.start(configuration);
          switchboard.add(next.port());
        }
        long last = numbers.stop();
        readers.await("all have the last", report -> hasEverybody(report, last));
      } finally {
        doomed.process().close();
        next.process().close();
      }
    }
  }
}
