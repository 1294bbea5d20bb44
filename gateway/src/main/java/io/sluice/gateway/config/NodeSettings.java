package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the node itself and of its log. Constants only. */
public final class NodeSettings {
  public static final Setting<String> NAME =
      text("node.name", "", "Name of this node in hello, logs and metrics; empty: the host name.");

  /** Shortest pause of the whole process that is logged (process.paused) and counted. */
  public static final Setting<Duration> PAUSE_THRESHOLD =
      internal("node.pause-threshold", ofSeconds(1));

  public static final Setting<String> LOG_FORMAT =
      choice("log.format", "text", List.of("text", "json"), "Form of the log lines.");
  public static final Setting<String> LOG_LEVEL =
      choice(
          "log.level",
          "info",
          List.of("error", "warn", "info", "debug", "trace"),
          "Least severity that is logged.");

  /** Keys of these sections, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(NAME, LOG_FORMAT, LOG_LEVEL);

  private NodeSettings() {}
}
