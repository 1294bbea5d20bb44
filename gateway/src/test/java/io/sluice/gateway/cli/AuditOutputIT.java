package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose audit log goes where its log goes, as in a container. */
@Timeout(180)
final class AuditOutputIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CLIENTS = 100;

  @TempDir private Path folder;

  private SluiceProcess run() throws IOException {
    Path configuration =
        Files.writeString(
            folder.resolve("sluice.yaml"),
            """
            server: {host: 127.0.0.1, port: 0}
            admin.port: 0
            auth.anonymous: true
            broker.url: tcp://127.0.0.1:1
            audit.file: "-"
            log.level: debug
            """);
    List<String> together =
        List.of("sh", "-c", "exec \"$0\" \"$@\" 2>&1", SluiceProcess.LAUNCHER.toString());
    return SluiceProcess.start(together, "run", "--config", configuration.toString());
  }

  private static boolean isAudit(String line) {
    return line.startsWith("{");
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + line, e);
    }
  }

  @Tag("full")
  @Test
  void shouldWriteLinesOfJsonBetweenThoseOfTheLogAndNeverWithinThem() throws IOException {
    try (SluiceProcess run = run()) {
      int port =
          Integer.parseInt(run.awaitLine("Sluice listens at ws://127.0.0.1:(\\d+)/ws.*").group(1));
      for (int i = 0; i < CLIENTS; i++) {
        try (RawWebSocket client = RawWebSocket.to("127.0.0.1", port, "/ws").open()) {
          client.text("{\"type\":\"connect\"}");
          client.await("hello");
        }
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> audited(run, "connected") + audited(run, "disconnected") == 2 * CLIENTS);
      run.sigterm();
      assertThat(run.exitCode()).isZero();

      List<String> log = run.output().stream().filter(line -> !isAudit(line)).toList();
      assertThat(log).anyMatch(line -> line.contains("client.closed"));
      assertThat(log).as("pieces of JSON").noneMatch(line -> line.contains("\"event\":"));
      assertThat(run.output().stream().filter(AuditOutputIT::isAudit).map(AuditOutputIT::parse))
          .allMatch(line -> line.has("time") && line.has("node") && line.has("event"));
    }
  }

  private static long audited(SluiceProcess run, String event) {
    String part = "\"event\":\"" + event + "\"";
    return run.output().stream().filter(line -> isAudit(line) && line.contains(part)).count();
  }
}
