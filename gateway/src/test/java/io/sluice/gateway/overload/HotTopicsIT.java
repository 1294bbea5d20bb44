package io.sluice.gateway.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.util.internal.PlatformDependent;
import io.sluice.gateway.SourceServer;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three topics produce four times the messages that the node can encode, while a thousand clients
 * use quiet topics. A second node without clients of the hot topics shows the load of machine and
 * broker at the same time.
 */
@Tag("alone")
@Timeout(300)
final class HotTopicsIT {
  @TempDir private Path folder;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CLIENTS = 1_000;
  private static final Duration IDLE = Duration.ofSeconds(4);
  private static final Duration CALIBRATION = Duration.ofMillis(500);
  private static final int CALIBRATIONS = 5;
  private static final Duration OVERLOAD = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final double UNLIMITED = 1e6;

  /** Calibration of servers that store all messages: the node has to read them before it ends. */
  private static final double STORED_RATE = 2_000;

  private static final double OVERLOAD_FACTOR = 4;

  /** Latencies of quiet topics below this pass, even if those of the idle node are lower. */
  private static final double GOOD_MS = 250;

  private static final double WORSE = 3;

  /** Time after which stored messages that wait for an overloaded node are skipped. */
  private static final Duration MAX_LAG = Duration.ofSeconds(3);

  /**
   * The configured memory of two nodes, and the same amount for frames, the JMS client and pools.
   */
  private static final long MEMORY_BYTES = 384L << 20;

  // A late canary does not indicate a silent broker while messages arrive.
  private static Config config(SourceServer source) {
    return source
        .config()
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(500))
        .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(4))
        .with(LimitSettings.INGRESS_QUEUE_BYTES, 4L << 20)
        .with(LimitSettings.SHARD_QUEUE_BYTES, 8L << 20)
        .with(HistorySettings.MEMORY, 16L << 20)
        .with(HistorySettings.AGE, MAX_LAG);
  }

  /** Load in a separate process. Bound to the test's thread. */
  private static final class Load implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final PrintStream in;

    Load(SourceServer source, TestNode node, TestNode control) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx512m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LoadProgram.class.getName(),
                  source.kind(),
                  source.url(),
                  String.valueOf(node.gateway().port()),
                  String.valueOf(control.gateway().port()),
                  String.valueOf(CLIENTS))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      out = process.inputReader();
      in = new PrintStream(process.getOutputStream(), true);
      String line = readLine();
      while (!line.equals("ready")) {
        line = readLine(); // logs of libraries
      }
    }

    private String readLine() {
      try {
        String line = out.readLine();
        if (line == null) {
          throw new AssertionError("the load has ended");
        }
        return line;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Sets the rate of hot topics, in messages per second of each. */
    void hot(int topics, double rate) {
      in.println("hot " + topics + " " + rate);
      assertThat(readLine()).isEqualTo("ok");
    }

    /** Returns the clients' figures since the last call. */
    JsonNode read() {
      in.println("read");
      try {
        return JSON.readTree(readLine());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Returns the clients' figures of a time from now on. */
    JsonNode readFor(Duration time) {
      read();
      await().atMost(time.plusSeconds(60)).pollDelay(time).until(() -> true);
      return read();
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  @Tag("full")
  @Test
  void shouldServeQuietTopicsDuringOverloadByHotTopics() throws Exception {
    overloadTheNode("artemis");
  }

  @Tag("full")
  @Test
  void shouldServeQuietTopicsDuringOverloadByHotTopicsOfClassic() throws Exception {
    overloadTheNode("classic");
  }

  /** Kafka and JetStream store what the node does not request, until it is too old. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"kafka", "nats"})
  void shouldServeQuietTopicsBesideTopicsThatAreDelayed(String kind) throws Exception {
    overloadTheNode(kind);
  }

  private static TestNode ready(SourceServer source) {
    TestNode node = TestNode.start(config(source));
    node.awaitReady();
    return node;
  }

  private void overloadTheNode(String provider) throws Exception {
    try (SourceServer source = SourceServer.start(provider, folder).create(LoadProgram.topics());
        TestNode node = ready(source);
        TestNode control = ready(source);
        Load load = new Load(source, node, control)) {
      double capacity = calibrate(load, source.isJms() ? UNLIMITED : STORED_RATE);
      JsonNode idle = load.readFor(IDLE);
      long memoryBefore = usedMemory();
      double rate = OVERLOAD_FACTOR * capacity / LoadProgram.HOT_TOPICS;
      load.hot(LoadProgram.HOT_TOPICS, rate);
      awaitOverload(load, rate);
      JsonNode overload = load.readFor(OVERLOAD);
      long memory = usedMemory() - memoryBefore;
      System.out.printf(
          "capacity %.0f/s, wanted %.0f/s, offered %d/s%nidle %s%nbeside hot topics %s%n"
              + "memory %d MiB%n",
          capacity,
          OVERLOAD_FACTOR * capacity,
          overload.get("hotSent").asLong() / OVERLOAD.toSeconds(),
          idle,
          overload,
          memory >> 20);
      // Classic's broker runs in this process, so its backlog would be measured as well.
      assertQuiet(idle, overload, node);
      if (!provider.equals("classic")) {
        assertThat(memory).as("bytes of memory under overload").isLessThan(MEMORY_BYTES);
      }
    }
  }

  // Rate at which the client of one hot topic is served, regardless of the topic's own rate.
  private static double calibrate(Load load, double rate) {
    load.hot(1, rate);
    double most = 0;
    for (int i = 0; i < CALIBRATIONS; i++) {
      long beginNs = System.nanoTime();
      long count = load.readFor(CALIBRATION).at("/hot/count").asLong();
      most = Math.max(most, 1e9 * count / (System.nanoTime() - beginNs));
    }
    load.hot(0, 0);
    await("the backlog is delivered")
        .atMost(TIMEOUT)
        .until(() -> load.readFor(CALIBRATION).at("/hot/count").asLong() == 0);
    return most;
  }

  // A node that has become faster since the calibration needs more load to be overloaded.
  private static void awaitOverload(Load load, double rate) {
    double[] current = {rate};
    try {
      await("overload reported")
          .atMost(TIMEOUT)
          .pollInterval(Duration.ofMillis(500))
          .until(
              () -> {
                current[0] *= 1.05;
                load.hot(LoadProgram.HOT_TOPICS, current[0]);
                JsonNode hot = load.read().get("hot");
                return hot.get("overloads").size() == LoadProgram.HOT_TOPICS;
              });
    } catch (ConditionTimeoutException e) {
      System.out.println("no overload was reported: " + e.getMessage());
    }
  }

  private static void assertQuiet(JsonNode idle, JsonNode overload, TestNode node) {
    SoftAssertions softly = new SoftAssertions();
    JsonNode quiet = overload.get("quiet");
    softly.assertThat(quiet.get("count").asLong()).as("quiet messages").isPositive();
    softly.assertThat(quiet.get("lost").asLong()).as("quiet messages lost").isZero();
    softly.assertThat(quiet.get("repeated").asLong()).as("quiet messages repeated").isZero();
    softly.assertThat(quiet.get("otherGaps")).as("gaps of quiet topics").isEmpty();
    softly.assertThat(quiet.get("overloads")).as("overloads of quiet topics").isEmpty();
    softly.assertThat(quiet.get("firstError").asText()).as("quiet clients").isEmpty();
    double machine = Math.max(p99(idle.get("quiet")), p99(overload.get("control")));
    softly
        .assertThat(p99(quiet))
        .as(
            "p99 of quiet clients in ms; idle %s, control %s",
            idle.get("quiet"), overload.get("control"))
        .isLessThan(Math.max(GOOD_MS, WORSE * machine));
    JsonNode hot = overload.get("hot");
    softly.assertThat(hot.get("overloads")).as("overload gaps").hasSize(LoadProgram.HOT_TOPICS);
    softly.assertThat(hot.get("otherGaps")).as("other gaps of hot topics").isEmpty();
    softly.assertThat(hot.get("lost").asLong()).as("hot messages lost without a gap").isZero();
    softly.assertThat(hot.get("repeated").asLong()).as("hot messages repeated").isZero();
    softly.assertThat(hot.get("firstError").asText()).as("hot clients").isEmpty();
    softly
        .assertThat(node.metric("sluice_broker_silent_losses_total"))
        .as("connections taken for lost")
        .isZero();
    softly.assertThat(node.metric("sluice_broker_reconnect_attempts_total")).isZero();
    softly.assertAll();
  }

  private static double p99(JsonNode report) {
    return report.get("p99").asDouble();
  }

  // Garbage is not measured.
  private static long usedMemory() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory() + PlatformDependent.usedDirectMemory();
  }
}
