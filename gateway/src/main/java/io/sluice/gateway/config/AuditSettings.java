package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;

import java.util.List;

/** Configuration keys of the audit log. Constants only. */
public final class AuditSettings {
  public static final Setting<String> FILE =
      text(
          "audit.file",
          "",
          "File to which the audit log is appended, one JSON object a line; - for standard output,"
              + " empty: none is kept.");
  public static final Setting<List<String>> EVENTS =
      list(
          "audit.events",
          List.of(
              "connected",
              "refreshed",
              "disconnected",
              "refused",
              "revoked",
              "restored",
              "commanded",
              "admin-refused"),
          "What is kept; subscribed and published as well, if named.");
  public static final Setting<Integer> RATE =
      integer(
          "audit.rate",
          1000,
          1,
          1_000_000,
          "Lines a second that are written, what operators do aside; how many are missing is told in"
              + " the next.");
  public static final Setting<Integer> QUEUE =
      integer(
          "audit.queue",
          8192,
          16,
          1_000_000,
          "Events of clients that may wait for the disk, and as many of operators; what comes then is"
              + " left out, and told like that.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(FILE, EVENTS, RATE, QUEUE);

  private AuditSettings() {}
}
