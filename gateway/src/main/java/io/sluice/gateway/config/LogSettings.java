package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;

import java.util.List;

/** Configuration keys of logging. Constants only. */
public final class LogSettings {
  public static final Setting<String> FORMAT =
      choice("log.format", "text", List.of("text", "json"), "Form of the log lines.");
  public static final Setting<String> LEVEL =
      choice(
          "log.level",
          "info",
          List.of("error", "warn", "info", "debug", "trace"),
          "Least severity that is logged.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(FORMAT, LEVEL);

  private LogSettings() {}
}
