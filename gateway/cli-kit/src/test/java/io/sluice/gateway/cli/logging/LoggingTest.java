package io.sluice.gateway.cli.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@ResourceLock(Resources.SYSTEM_ERR)
class LoggingTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream original = System.err;
  private final Logger log = LoggerFactory.getLogger(LoggingTest.class);

  @BeforeEach
  void setUp() {
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void tearDown() {
    System.setErr(original);
    Logging.info();
  }

  @Test
  void shouldWriteOneLineAnEvent() {
    Logging.apply(Config.defaults());
    log.atInfo()
        .setCause(new IllegalStateException("two\nlines"))
        .addKeyValue("node", "a\nb")
        .log("event\r\nname");
    log.debug("unseen");
    assertThat(lines()).hasSize(1);
    assertThat(lines().get(0))
        .contains(
            "INFO  LoggingTest event name node=\"a b\"", "IllegalStateException: two | lines");
  }

  @Test
  void shouldEndALineWithoutABlank() {
    Logging.apply(Config.defaults());
    log.info("event");
    log.atInfo().addKeyValue("node", "a").log("event");
    assertThat(lines())
        .satisfiesExactly(
            line -> assertThat(line).endsWith(" event"),
            line -> assertThat(line).endsWith(" event node=\"a\""));
  }

  @Test
  void shouldWriteJson() throws Exception {
    Logging.apply(Config.defaults().with(AdminSettings.LOG_FORMAT, "json"));
    log.atWarn().addKeyValue("node", "a\"b").log("event");
    assertThat(lines()).hasSize(1);
    JsonNode json = new ObjectMapper().readTree(lines().get(0));
    assertThat(json.get("level").asText()).isEqualTo("WARN");
    assertThat(json.get("node").asText()).isEqualTo("a\"b");
  }

  @Test
  void shouldFollowTheLevel() {
    Logging.apply(Config.defaults().with(AdminSettings.LOG_LEVEL, "error"));
    log.warn("unseen");
    Logging.apply(Config.defaults().with(AdminSettings.LOG_LEVEL, "trace"));
    log.trace("seen");
    assertThat(lines()).hasSize(1);
  }

  @Test
  void shouldApplyAndReplaceLevelsOfLoggers() {
    String name = "io.sluice.gateway.test.levels";
    Logger other = LoggerFactory.getLogger(name + ".below");
    Config config = Config.defaults().with(AdminSettings.LOG_LEVELS, Map.of(name, "debug"));
    Logging.apply(config);
    assertThat(other.isDebugEnabled()).isTrue();
    assertThat(log.isDebugEnabled()).isFalse();

    Logging.applyLevels(
        config
            .with(AdminSettings.LOG_LEVELS, Map.of(name + ".below", "error"))
            .with(AdminSettings.LOG_LEVEL, "warn"));

    assertThat(LoggerFactory.getLogger(name).isInfoEnabled()).isFalse();
    assertThat(other.isWarnEnabled()).isFalse();
    assertThat(log.isWarnEnabled()).isTrue();
  }

  private List<String> lines() {
    return written.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
