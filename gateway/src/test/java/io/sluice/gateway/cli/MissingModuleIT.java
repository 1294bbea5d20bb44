package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node without the archive of an optional module. */
@Timeout(120)
final class MissingModuleIT {
  private static final Path TARGET = Path.of("target");

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"sluice-presence, presence", "sluice-durable,"})
  void shouldForwardMessagesAndRefuseTheFramesOfTheModule(String module, String frame)
      throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        SluiceProcess node = start(module, "broker.url: " + broker.url() + "\n")) {
      String port = node.awaitLine("Sluice listens at ws://localhost:(\\d+)/ws").group(1);
      String admin = node.awaitLine("admin: (http://127.0.0.1:\\d+)/health/ready").group(1);
      SluiceProcess.awaitStatus(admin + "/health/ready", 200);
      RawWebSocket.Request request =
          RawWebSocket.to("127.0.0.1", Integer.parseInt(port), "/ws")
              .subprotocols(Encoding.JSON_SUBPROTOCOL);
      try (RawWebSocket client = request.open()) {
        client.subscribe(1, "rest.1");
        publisher.text("rest.1", "forwarded");
        assertThat(client.readJson().get("payload").asText()).isEqualTo("forwarded");

        if (frame != null) {
          client.text("{\"type\":\"%s\",\"ref\":2,\"topic\":\"rest.1\"}".formatted(frame));
          assertThat(client.readJson().get("code").asText()).isEqualTo("unsupported");
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "sluice-presence, topics.presence, [rest.>]",
    "sluice-durable, journal.folder, journal"
  })
  void shouldNameTheArchiveThatAKeyRequires(String module, String key, String value)
      throws Exception {
    String text = "broker.url: tcp://127.0.0.1:1\n" + key + ": " + value + "\n";
    try (SluiceProcess node = start(module, text)) {
      assertThat(node.exitCode()).isNotZero();
      assertThat(String.join("\n", node.errors()))
          .contains(key + ": requires " + module + "-*.jar, which is not on the class path");
    }
  }

  private SluiceProcess start(String missing, String text) throws IOException {
    Path file = Files.writeString(folder.resolve("sluice.yaml"), text);
    String java = ProcessHandle.current().info().command().orElseThrow();
    return SluiceProcess.start(
        List.of(java, "-XX:TieredStopAtLevel=1", "-cp", classPath(missing)),
        Sluice.class.getName(),
        "run",
        "--config",
        file.toString(),
        "--anonymous",
        "--port",
        "0",
        "--admin-port",
        "0");
  }

  private static String classPath(String missing) throws IOException {
    try (Stream<Path> own = Files.list(TARGET);
        Stream<Path> libraries = Files.list(TARGET.resolve("lib"))) {
      List<String> files =
          Stream.concat(own, libraries)
              .map(Path::toString)
              .filter(file -> file.endsWith(".jar"))
              .toList();
      assertThat(files).anyMatch(file -> file.contains(missing));
      return files.stream()
          .filter(file -> !file.contains(missing))
          .collect(Collectors.joining(":"));
    }
  }
}
