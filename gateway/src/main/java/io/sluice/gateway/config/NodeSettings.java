package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the node itself. Constants only. */
public final class NodeSettings {
  public static final Setting<String> NAME =
      text("node.name", "", "Name of this node in hello, logs and metrics; empty: the host name.");
  public static final Setting<Duration> PAUSE_THRESHOLD =
      duration(
          "node.pause-threshold",
          ofSeconds(1),
          ofMillis(100),
          ofHours(1),
          "The shortest pause of the whole process that is logged (process.paused) and counted.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(NAME, PAUSE_THRESHOLD);

  private NodeSettings() {}
}
