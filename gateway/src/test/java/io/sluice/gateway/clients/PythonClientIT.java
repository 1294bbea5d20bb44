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
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Package for Python, sluice-client; skipped if no suitable Python is installed. */
final class PythonClientIT extends MovingClientScenes {
  private static final Path FOLDER = Path.of("..", "clients", "python");
  private static final String HAS_SETUPTOOLS =
      "import sys, setuptools; sys.exit(int(setuptools.__version__.split('.')[0]) < 77)";

  @TempDir private Path build;

  @BeforeAll
  static void requirePython() throws InterruptedException {
    assumeTrue(
        hasPython(), "there is no python3 of version 3.10 or later on the PATH to run the client");
  }

  private static boolean hasPython() throws InterruptedException {
    String isOld = "import sys; sys.exit(sys.version_info < (3, 10))";
    try {
      return python("-c", isOld).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static ProcessBuilder python(String... arguments) {
    // -B writes no bytecode to the folder of the sources.
    ProcessBuilder builder = new ProcessBuilder("python3", "-B");
    builder.command().addAll(List.of(arguments));
    builder.environment().put("PYTHONPATH", "src");
    return builder.directory(FOLDER.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  @Override
  ExampleClient start(String url, String topic) throws IOException {
    return new Running(python("examples/show.py", url, topic).start());
  }

  @Test
  void shouldPassItsOwnTests() throws Exception {
    Process tests = python("-m", "unittest", "--quiet").start();
    assertThat(tests.waitFor()).isZero();
  }

  @Test
  void shouldPassTheTypeCheckIfMypyIsInstalled() throws Exception {
    assumeTrue(succeeds("-c", "import mypy"), "mypy is not installed");
    assertThat(succeeds("-m", "mypy", "--cache-dir=/dev/null")).isTrue();
  }

  @Test
  void shouldBuildAWheel() throws Exception {
    assumeTrue(succeeds("-c", "import pip"), "pip is not installed");
    // The build writes to its folder.
    Path copy = copyPackage();
    ProcessBuilder wheelBuild =
        python("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "out", ".");
    if (succeeds("-c", HAS_SETUPTOOLS)) {
      // Requires no package registry.
      wheelBuild.command().add("--no-build-isolation");
    }
    assertThat(wheelBuild.directory(copy.toFile()).start().waitFor()).isZero();
    Path wheel = copy.resolve("out").resolve("sluice_client-0.1.0-py3-none-any.whl");
    ProcessBuilder imports = python("-c", "import sluice; sluice.connect");
    imports.environment().put("PYTHONPATH", wheel.toAbsolutePath().toString());
    assertThat(imports.directory(copy.resolve("out").toFile()).start().waitFor()).isZero();
  }

  private Path copyPackage() throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = build.resolve(FOLDER.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
    return build;
  }

  private static boolean succeeds(String... arguments) throws Exception {
    return python(arguments).redirectError(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
  }

  @Test
  void shouldAcknowledgeMessagesOfAQueueAndReceiveUnsettledOnesAgain() throws Exception {
    String queue = "orders";
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_CONSUME, List.of(queue))
                    .with(TopicSettings.QUEUES_BROWSE, List.of(queue))
                    .with(TopicSettings.QUEUES_SEND, List.of(queue)))) {
      node.awaitReady();
      receiveWithoutAcknowledging(node);
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      try (Running client = new Running(python("examples/consume.py", url, queue).start());
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
    String queue = "quotes";
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_CONSUME, List.of(queue))
                    .with(TopicSettings.QUEUES_SEND, List.of(queue)));
        RawWebSocket service = node.json()) {
      node.awaitReady();
      service.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"quotes\"}");
      service.await("consuming");
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      try (Running client =
          new Running(python("examples/request.py", url, queue, "EURUSD").start())) {
        long tag = service.await("delivery").get("tag").asLong();
        service.text(
            "{\"type\":\"respond\",\"ref\":2,\"subscription\":1,\"tag\":%d,\"payload\":\"1.09\"}"
                .formatted(tag));
        awaitEntry(client, "REPLY 1.09");
      }
      try (Running client =
          new Running(python("examples/request.py", url, "others", "EURUSD").start())) {
        await().untilAsserted(() -> assertThat(client.entries()).hasSize(1));
        assertThat(client.entries().get(0)).startsWith("REFUSED forbidden ");
      }
    }
  }

  @Test
  void shouldShowThePresenceOfOtherClients() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.PRESENCE_TOPICS, List.of("room.*")))) {
      node.awaitReady();
      try (Running ann = presence(node, "room.1", "Ann")) {
        awaitEntry(ann, "PRESENT 1 Ann");
        try (RawWebSocket bob = node.json()) {
          bob.text(
              "{\"type\":\"presence\",\"ref\":1,\"topic\":\"room.1\",\"enter\":true,\"info\":\"Bob\"}");
          awaitEntry(ann, "PRESENT 2 Ann Bob");
          bob.text("{\"type\":\"leave\",\"ref\":2,\"topic\":\"room.1\"}");
          await().untilAsserted(() -> assertThat(ann.entries()).endsWith("PRESENT 1 Ann"));
        }
      }
      try (Running refused = presence(node, "others", "Ann")) {
        await().untilAsserted(() -> assertThat(refused.entries()).hasSize(1));
        assertThat(refused.entries().get(0)).startsWith("REFUSED forbidden ");
      }
    }
  }

  private static Running presence(TestNode node, String topic, String name) throws IOException {
    String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
    return new Running(python("examples/presence.py", url, topic, name).start());
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

    Running(Process process) {
      this.process = process;
      Thread reader = new Thread(this::read, "python-out");
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
