package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Package for .NET, Sluice.Client, compiled and run with Mono; skipped without Mono. */
final class DotnetClientIT extends ExampleClientScenes {
  private static final Path FOLDER = Path.of("..", "clients", "dotnet");
  private static final String REQUIREMENT =
      "mcs, mono, its class library or Newtonsoft.Json is missing; on Debian install"
          + " mono-mcs, libmono-cil-dev and libnewtonsoft-json5.0-cil";

  /** Program that needs the same assemblies as the client. */
  private static final String PROBE =
      """
      class Probe {
        static void Main() {
          new System.Net.WebSockets.ClientWebSocket().Dispose();
          new System.Net.Http.HttpClient().Dispose();
          new Newtonsoft.Json.Linq.JObject();
        }
      }
      """;

  private static final String RUN_PROBE =
      """
      json=${NEWTONSOFT_JSON:-/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll}
      cp "$json" "$1" && mcs -nologo -r:System.Net.Http -r:"$json" "$1/Probe.cs" &&
      mono "$1/Probe.exe"
      """;

  /** Limit of a compilation and of the client's own tests. */
  private static final long TIMEOUT_S = 240;

  @TempDir private static Path build;

  @BeforeAll
  static void compile() throws Exception {
    assumeTrue(isInstalled(), REQUIREMENT);
    Process compiler = process("sh", "mono-build.sh", build.toAbsolutePath().toString()).start();
    assertThat(exitCode(compiler)).isZero();
  }

  private static boolean isInstalled() throws Exception {
    Path folder = Files.createDirectory(build.resolve("probe")).toAbsolutePath();
    Files.writeString(folder.resolve("Probe.cs"), PROBE);
    try {
      ProcessBuilder builder = process("sh", "-c", RUN_PROBE, "sh", folder.toString());
      return exitCode(builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start()) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the exit code, or ends the process after the limit and fails. */
  private static int exitCode(Process process) throws InterruptedException {
    boolean isEnded = process.waitFor(TIMEOUT_S, TimeUnit.SECONDS);
    if (!isEnded) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    assertThat(isEnded).as("end of %s within %d s", process.info(), TIMEOUT_S).isTrue();
    return process.exitValue();
  }

  private static ProcessBuilder process(String... command) {
    return new ProcessBuilder(command)
        .directory(FOLDER.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  private static Running run(String program, String... arguments) throws IOException {
    ProcessBuilder builder = process("mono", build.resolve(program).toAbsolutePath().toString());
    builder.command().addAll(List.of(arguments));
    return new Running(builder.start());
  }

  @Override
  ExampleClient start(String url, String topic) throws IOException {
    return run("Show.exe", url, topic);
  }

  @Test
  void shouldPassItsOwnTests() throws Exception {
    try (Running tests = run("Sluice.Client.Tests.exe", "../../docs/protocol/continuity.json")) {
      assertThat(tests.exitCode()).as("%s", tests.entries()).isZero();
    }
  }

  @Test
  void shouldPassItsTestsWithANode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.PUBLISH_TOPICS, List.of("chat.>", "orders.>"))
                    .with(TopicSettings.TOPICS_DURABLE, List.of("orders.>"))
                    .with(TopicSettings.QUEUES_CONSUME, List.of("orders", "fills"))
                    .with(TopicSettings.QUEUES_SEND, List.of("orders", "fills")))) {
      node.awaitReady();
      try (Running tests = run("Sluice.Client.Tests.exe", "--node", url(node))) {
        assertThat(tests.exitCode()).as("%s", tests.entries()).isZero();
      }
    }
  }

  @Test
  void shouldAcknowledgeMessagesOfAQueueAndReceiveUnsettledOnesAgain() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_CONSUME, List.of("orders"))
                    .with(TopicSettings.QUEUES_BROWSE, List.of("orders"))
                    .with(TopicSettings.QUEUES_SEND, List.of("orders")))) {
      node.awaitReady();
      receiveWithoutAcknowledging(node);
      try (Running client = run("Consume.exe", url(node), "orders");
          RawWebSocket observer = node.json()) {
        awaitEntry(client, "AGAIN 1");
        send(observer, "2");
        awaitEntry(client, "MESSAGE 2");
        await()
            .untilAsserted(
                () -> {
                  observer.text("{\"type\":\"browse\",\"ref\":3,\"queue\":\"orders\"}");
                  assertThat(observer.await("browsed").get("count").asInt()).isZero();
                });
        assertThat(client.entries()).containsExactly("CONSUMING", "AGAIN 1", "MESSAGE 2");
      }
    }
  }

  @Test
  void shouldSendRequests() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_CONSUME, List.of("quotes"))
                    .with(TopicSettings.QUEUES_SEND, List.of("quotes")));
        RawWebSocket service = node.json()) {
      node.awaitReady();
      service.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"quotes\"}");
      service.await("consuming");
      try (Running client = run("Request.exe", url(node), "quotes", "EURUSD")) {
        long tag = service.await("delivery").get("tag").asLong();
        service.text(
            "{\"type\":\"respond\",\"ref\":2,\"subscription\":1,\"tag\":%d,\"payload\":\"1.09\"}"
                .formatted(tag));
        awaitEntry(client, "REPLY 1.09");
      }
      try (Running client = run("Request.exe", url(node), "others", "EURUSD")) {
        await().untilAsserted(() -> assertThat(client.entries()).hasSize(1));
        assertThat(client.entries().get(0)).startsWith("REFUSED forbidden ");
      }
    }
  }

  private static String url(TestNode node) {
    return "ws://127.0.0.1:" + node.gateway().port() + "/ws";
  }

  /** Sends a message to the queue, and closes the connection that has received it. */
  private static void receiveWithoutAcknowledging(TestNode node) {
    try (RawWebSocket client = node.json()) {
      send(client, "1");
      client.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"orders\"}");
      client.await("delivery");
    }
  }

  private static void send(RawWebSocket client, String payload) {
    client.text(
        "{\"type\":\"publish\",\"ref\":2,\"queue\":\"orders\",\"payload\":\"%s\"}"
            .formatted(payload));
    client.await("published");
  }

  private static void awaitEntry(ExampleClient client, String entry) {
    await().untilAsserted(() -> assertThat(client.entries()).contains(entry));
  }

  private static final class Running implements ExampleClient {
    private final Process process;
    private final List<String> entries = new CopyOnWriteArrayList<>();
    private final Thread reader = new Thread(this::read, "dotnet-out");

    Running(Process process) {
      this.process = process;
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines = process.inputReader()) {
        lines.lines().forEach(entries::add);
      } catch (IOException e) {
        entries.add("(cannot be read: " + e + ")");
      }
    }

    int exitCode() throws InterruptedException {
      int code = DotnetClientIT.exitCode(process);
      reader.join(TimeUnit.SECONDS.toMillis(TIMEOUT_S));
      assertThat(reader.isAlive()).as("more output after the end").isFalse();
      return code;
    }

    @Override
    public List<String> entries() {
      return List.copyOf(entries);
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }
}
