package io.sluice.gateway.cli.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

final class JsonLineEncoderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static LoggingEvent event(String message, Throwable error, Object... arguments) {
    LoggingEvent event =
        new LoggingEvent(
            "caller",
            new LoggerContext().getLogger("io.sluice.Example"),
            Level.WARN,
            message,
            error,
            arguments);
    event.setInstant(Instant.parse("2026-01-02T03:04:05.006789Z"));
    event.setThreadName("loop-1");
    return event;
  }

  private static JsonNode line(LoggingEvent event) throws Exception {
    String text = new String(new JsonLineEncoder().encode(event), StandardCharsets.UTF_8);
    assertThat(text).endsWith("\n").hasLineCount(1);
    return JSON.readTree(text);
  }

  @Test
  void shouldWriteTheFormattedMessageAndTheTimeOfRfc3339() throws Exception {
    JsonNode line = line(event("calling cleanup on {}\nnow", null, "x"));

    assertThat(line.toString())
        .isEqualTo(
            "{\"time\":\"2026-01-02T03:04:05.006Z\",\"level\":\"WARN\","
                + "\"logger\":\"io.sluice.Example\",\"thread\":\"loop-1\","
                + "\"message\":\"calling cleanup on x\\nnow\"}");
  }

  @Test
  void shouldWritePairsWithTheirTypes() throws Exception {
    LoggingEvent event = event("event", null);
    event.addKeyValuePair(new KeyValuePair("port", 8080));
    event.addKeyValuePair(new KeyValuePair("ratio", 0.5));
    event.addKeyValuePair(new KeyValuePair("unknown", Double.NaN));
    event.addKeyValuePair(new KeyValuePair("open", true));
    event.addKeyValuePair(new KeyValuePair("absent", null));
    event.addKeyValuePair(new KeyValuePair("keys", List.of("a", 1L)));
    event.addKeyValuePair(new KeyValuePair("counts", Map.of("b", 2)));
    event.addKeyValuePair(new KeyValuePair("level", "nested"));

    assertThat(line(event).toString())
        .endsWith(
            "\"port\":8080,\"ratio\":0.5,\"unknown\":\"NaN\",\"open\":true,\"absent\":null,"
                + "\"keys\":[\"a\",1],\"counts\":{\"b\":2},\"level_\":\"nested\"}");
  }

  @Test
  void shouldWriteTheErrorWithItsCauses() throws Exception {
    Throwable error = new IllegalStateException("two\nlines", new RuntimeException("cause"));

    assertThat(line(event("event", error)).get("error").asText())
        .startsWith("java.lang.IllegalStateException: two\nlines")
        .contains("Caused by: java.lang.RuntimeException: cause");
  }
}
