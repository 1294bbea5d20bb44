package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Session and trace ids in the log of a node. */
@Timeout(180)
final class LogCorrelationIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PUBLISH =
      "{\"type\":\"publish\",\"ref\":1,\"topic\":\"orders\",\"payload\":\"7\",\"properties\":"
          + "{\"traceparent\":\"00-"
          + TRACE
          + "-00f067aa0ba902b7-00\"}}";

  @TempDir private Path folder;

  private SluiceProcess run(String format) throws IOException {
    Path configuration =
        Files.writeString(
            folder.resolve("sluice.yaml"),
            """
            server: {host: 127.0.0.1, port: 0}
            admin.port: 0
            auth.anonymous: true
            broker.url: tcp://127.0.0.1:1
            log: {format: %s, level: debug}
            """
                .formatted(format));
    return SluiceProcess.start("run", "--config", configuration.toString());
  }

  /** Connects, sends a traced publish that is not permitted, and returns the id of the session. */
  private static String publish(SluiceProcess run) {
    int port =
        Integer.parseInt(run.awaitLine("Sluice listens at ws://127.0.0.1:(\\d+)/ws.*").group(1));
    try (RawWebSocket client = RawWebSocket.to("127.0.0.1", port, "/ws").open()) {
      client.text("{\"type\":\"connect\"}");
      String session = client.await("hello").get("session").asText();
      client.text(PUBLISH);
      client.await("error");
      return session;
    }
  }

  private static String awaitEvent(SluiceProcess run, String event) {
    return await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> run.errors().stream().filter(line -> line.contains(event)).findFirst(),
            line -> line.isPresent())
        .orElseThrow();
  }

  @Tag("full")
  @Test
  void shouldWriteIdsAsMembersOfJson() throws IOException {
    try (SluiceProcess run = run("json")) {
      String session = publish(run);
      JsonNode refused = JSON.readTree(awaitEvent(run, "publish.refused"));
      assertThat(refused.get("session").asText()).isEqualTo(session);
      assertThat(refused.get("trace-id").asText()).isEqualTo(TRACE);
      assertThat(refused.get("code").asText()).isEqualTo("forbidden");

      JsonNode closed = JSON.readTree(awaitEvent(run, "client.closed"));
      assertThat(closed.get("session").asText()).isEqualTo(session);
      assertThat(closed.has("trace-id")).isFalse();
    }
  }

  @Tag("full")
  @Test
  void shouldWriteIdsAsPairsOfText() throws IOException {
    try (SluiceProcess run = run("text")) {
      String session = publish(run);
      assertThat(awaitEvent(run, "publish.refused"))
          .contains("session=\"" + session + "\"", "trace-id=\"" + TRACE + "\"");
    }
  }
}
