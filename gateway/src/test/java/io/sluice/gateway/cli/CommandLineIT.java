package io.sluice.gateway.cli;

import static io.sluice.testkit.SluiceProcess.awaitStatus;
import static io.sluice.testkit.SluiceProcess.get;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands as their users start them: {@code bin/sluice} with what the build has made. */
@Timeout(240)
class CommandLineIT {
  @TempDir private Path folder;

  @Test
  void shouldPrintTheVersionOfTheBuild() {
    try (SluiceProcess version = SluiceProcess.start("--version")) {
      assertThat(version.exitCode()).isZero();
      assertThat(version.output()).singleElement().asString().matches("sluice \\d+\\..+, Java .+");
      assertThat(version.errors()).isEmpty();
    }
  }

  @Test
  void shouldListEveryProblemOfAFile() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("sluice.yaml"),
            """
            server:
              prot: 8080
            limits:
              per-node.connections: many
            subscribe:
              topics: ["stocks..>"]
            """);
    try (SluiceProcess check =
        SluiceProcess.start(
            "check-config", file.toString(), "--broker", "tcp://a:1", "--anonymous")) {
      assertThat(check.exitCode()).isEqualTo(1);
      assertThat(check.output()).hasSize(4);
      assertThat(check.output().get(0))
          .isEqualTo(file + ":2:3: server.prot: unknown key; did you mean server.port?");
      assertThat(check.output().get(1))
          .startsWith(file + ":4:25: limits.per-node.connections: \"many\"");
      assertThat(check.output().get(2)).startsWith(file + ":6:11: subscribe.topics");
      assertThat(check.output().get(3)).isEqualTo(file + " has 3 problems");
    }
  }

  @Test
  void shouldReportThePortInUseAndItsOption() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = Integer.toString(taken.getLocalPort());
      String[] options = {
        "--anonymous", "--broker", "tcp://127.0.0.1:1", "--port", "0", "--admin-port", port
      };
      try (SluiceProcess run = SluiceProcess.start(prepend("run", options))) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errors())
            .singleElement()
            .asString()
            .startsWith("sluice run: port " + port + " can't be used (127.0.0.1:" + port)
            .endsWith("choose another with --admin-port");
      }
    }
  }

  @Tag("full")
  @Test
  void shouldReportThePortThatTheBrokerCannotBindInOneLine() throws IOException {
    Path broker = Path.of("embedded-broker", "target");
    String classPath = broker.resolve("*") + File.pathSeparator + broker.resolve("lib/*");
    List<String> java =
        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = Integer.toString(taken.getLocalPort());
      String main = "io.sluice.broker.EmbeddedBroker";
      try (SluiceProcess start = SluiceProcess.start(java, classPath, main, "--port", port)) {
        assertThat(start.exitCode()).isEqualTo(1);
        assertThat(start.output())
            .singleElement()
            .asString()
            .matches("BROKER FAILED .* 127.0.0.1:" + port + ": .*Address already in use.*");
        assertThat(start.errors()).isEmpty();
      }
    }
  }

  @Test
  void shouldWaitForTheBrokerServeAndDrainOnSigterm() throws IOException {
    int brokerPort = FreePorts.one();
    String url = "tcp://127.0.0.1:" + brokerPort;
    try (SluiceProcess run =
        SluiceProcess.start(
            "run", "--anonymous", "--broker", url, "--port", "0", "--admin-port", "0")) {
      int port = port(run.awaitLine("Sluice listens at ws://localhost:(\\d+)/ws"));
      String health =
          "http://127.0.0.1:"
              + port(run.awaitLine("admin: http://127.0.0.1:(\\d+)/health/ready"))
              + "/health/";
      assertThat(get(health + "live").statusCode()).isEqualTo(200);
      assertThat(get(health + "ready").statusCode()).isEqualTo(503);

      try (SluiceProcess broker =
          SluiceProcess.start("broker", "--port", Integer.toString(brokerPort))) {
        assertThat(broker.awaitLine("BROKER READY (.+)").group(1)).isEqualTo(url);
        awaitStatus(health + "ready", 200);
        shouldDeliverWhatTheFeedPublishes(port, url);
        shouldDrainItsClients(run, port, health);
        shouldRejectOpenWire(brokerPort);
        broker.sigterm();
        assertThat(broker.exitCode()).isZero();
        assertThat(broker.errors())
            .noneMatch(line -> line.startsWith("\tat "))
            .anyMatch(line -> line.contains("AMQ212037") && line.contains("Invalid type: 1"));
      }
    }
  }

  @Tag("full")
  @Test
  void shouldEndTheFeedWithoutAConnection() {
    String url = "tcp://127.0.0.1:1";
    try (SluiceProcess feed =
        SluiceProcess.start("feed", "--broker", url, "--connect-timeout", "2")) {
      assertThat(feed.exitCode()).isEqualTo(1);
      assertThat(feed.errors()).hasSize(3);
      assertThat(feed.errors().get(0)).contains("feed.connecting url=\"" + url + "\"");
      assertThat(feed.errors().get(1)).contains("feed.broker-lost cause=");
      assertThat(feed.errors().get(2))
          .startsWith("sluice feed: no connection to " + url + " with the JMS client ARTEMIS")
          .contains(" within 2 s (--connect-timeout): ", "Cannot connect to server")
          .endsWith("; check --broker and --provider");
    }
  }

  private static void shouldDeliverWhatTheFeedPublishes(int port, String url) {
    String[] options = {"--broker", url, "--topics", "3", "--rate", "50", "--bytes", "300"};
    try (RawWebSocket client = client(port)) {
      client.subscribe(1, "stocks.2");
      try (SluiceProcess feed = SluiceProcess.start(prepend("feed", options))) {
        for (int sequence = 1; sequence <= 20; sequence++) {
          assertFeedMessage(client.await("message"), sequence);
        }
        feed.sigterm();
        assertThat(feed.exitCode()).isZero();
        assertThat(feed.output()).last().asString().contains("messages/s");
      }
    }
  }

  private static void assertFeedMessage(JsonNode message, int sequence) {
    assertThat(message.path("topic").asText()).isEqualTo("stocks.2");
    String payload = message.path("payload").asText();
    Matcher begin = Pattern.compile("TS=(\\d{19}) SEQ=(\\d+) ").matcher(payload);
    assertThat(begin.lookingAt()).as(payload).isTrue();
    assertThat(Integer.parseInt(begin.group(2))).isEqualTo(sequence);
    assertThat(payload).hasSize(300).matches("\\p{ASCII}*");
    Instant sent = Instant.ofEpochSecond(0, Long.parseLong(begin.group(1)));
    assertThat(Duration.between(sent, Instant.now()).abs()).isLessThan(Duration.ofSeconds(60));
  }

  private static void shouldDrainItsClients(SluiceProcess run, int port, String health) {
    try (RawWebSocket client = client(port)) {
      client.subscribe(1, "stocks.0");
      run.sigterm();
      assertThat(client.await("draining").path("deadline").asLong()).isPositive();
      // The drain waits for this client, so the node still responds.
      assertThat(get(health + "ready").statusCode()).isEqualTo(503);
      assertThat(get(health + "live").statusCode()).isEqualTo(200);
    }
    assertThat(run.exitCode()).isZero();
  }

  private static void shouldRejectOpenWire(int brokerPort) throws IOException {
    // Size, the type WIREFORMAT_INFO, magic and version.
    byte[] frame = "\0\0\0\15\1ActiveMQ\0\0\0\14".getBytes(US_ASCII);
    try (Socket client = new Socket("127.0.0.1", brokerPort)) {
      client.setSoTimeout(60_000);
      client.getOutputStream().write(frame);
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static RawWebSocket client(int port) {
    return RawWebSocket.to("127.0.0.1", port, "/ws").timeout(Duration.ofSeconds(60)).open();
  }

  private static int port(Matcher line) {
    return Integer.parseInt(line.group(1));
  }

  private static String[] prepend(String command, String[] options) {
    String[] all = new String[options.length + 1];
    all[0] = command;
    System.arraycopy(options, 0, all, 1, options.length);
    return all;
  }
}
