package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
    return run("show.py", url, topic);
  }

  private static ClientProcess run(String example, String... arguments) throws IOException {
    ProcessBuilder builder = python("examples/" + example);
    builder.command().addAll(List.of(arguments));
    return new ClientProcess(builder.start());
  }

  @Tag("full")
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

  @Tag("full")
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

  @Tag("full")
  @Test
  void shouldAcknowledgeMessagesOfAQueueAndReceiveUnsettledOnesAgain() throws Exception {
    QueueScenes.consume(arguments -> run("consume.py", arguments));
  }

  @Tag("full")
  @Test
  void shouldSendRequests() throws Exception {
    QueueScenes.request(arguments -> run("request.py", arguments));
  }

  @Tag("full")
  @Test
  void shouldShowThePresenceOfOtherClients() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.PRESENCE_TOPICS, List.of("room.*")))) {
      node.awaitReady();
      try (ClientProcess ann = run("presence.py", url(node), "room.1", "Ann")) {
        ann.awaitEntry("PRESENT 1 Ann");
        try (RawWebSocket bob = node.json()) {
          bob.text(
              "{\"type\":\"presence\",\"ref\":1,\"topic\":\"room.1\",\"enter\":true,\"info\":\"Bob\"}");
          ann.awaitEntry("PRESENT 2 Ann Bob");
          bob.text("{\"type\":\"leave\",\"ref\":2,\"topic\":\"room.1\"}");
          await().untilAsserted(() -> assertThat(ann.entries()).endsWith("PRESENT 1 Ann"));
        }
      }
      try (ClientProcess refused = run("presence.py", url(node), "others", "Ann")) {
        refused.awaitRefusal();
      }
    }
  }
}
