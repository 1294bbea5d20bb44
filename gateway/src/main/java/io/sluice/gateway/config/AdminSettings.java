package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the node, its logs and its admin port. Constants only. */
public final class AdminSettings {
  public static final Setting<String> NODE_NAME =
      text(
          "node.name",
          "",
          "Name of this node in hello frames, logs and metrics; empty: the host name.");

  /** Shortest process pause that is logged (process.paused) and counted. */
  public static final Setting<Duration> PAUSE_THRESHOLD =
      internal("node.pause-threshold", ofSeconds(1));

  public static final Setting<String> LOG_FORMAT =
      choice("log.format", "text", List.of("text", "json"), "Format of log lines.");
  public static final Setting<String> LOG_LEVEL =
      choice(
          "log.level",
          "info",
          List.of("error", "warn", "info", "debug", "trace"),
          "Lowest severity that is logged.");

  public static final Setting<String> AUDIT_FILE =
      text(
          "audit.file",
          "",
          "File of the audit log, one JSON object per line; - for standard output, empty for"
              + " none.");
  public static final Setting<List<String>> AUDIT_EVENTS =
      list(
          "audit.events",
          List.of(
              "connected",
              "refreshed",
              "disconnected",
              "deleted",
              "refused",
              "revoked",
              "restored",
              "commanded",
              "admin-refused"),
          "Events in the audit log; subscribed, consuming and published are written only if"
              + " listed.");

  /** Maximum number of audit lines per second about clients. */
  public static final Setting<Integer> AUDIT_RATE = internal("audit.rate", 1000);

  public static final Setting<String> HOST =
      text(
          "admin.host",
          "127.0.0.1",
          "Address of the admin port for health, metrics and commands. Addresses other than"
              + " loopback require admin.token, admin.token-file or admin.metrics-open.");
  public static final Setting<Integer> PORT =
      integer("admin.port", 9090, 0, 65535, "Port of the admin server; 0: any free port.");
  public static final Setting<String> TOKEN =
      text(
          "admin.token",
          "",
          "Bearer token that the admin port requires, at least 16 characters; empty: only the"
              + " tokens of admin.token-file.");
  public static final Setting<String> TOKEN_FILE =
      text(
          "admin.token-file",
          "",
          "File with admin tokens, one per line, each of which is accepted; reloaded when it"
              + " changes.");
  public static final Setting<Boolean> METRICS_OPEN =
      flag("admin.metrics-open", false, "Serve metrics without a token.");
  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "admin.tls.certificate",
          "",
          "PEM file with the admin port's certificate, followed by its chain; if set, the port"
              + " accepts TLS only.");
  public static final Setting<String> TLS_KEY =
      text(
          "admin.tls.key",
          "",
          "PEM file with the private key of admin.tls.certificate, as server.tls.key.");

  /** Keys of these sections, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          NODE_NAME,
          LOG_FORMAT,
          LOG_LEVEL,
          AUDIT_FILE,
          AUDIT_EVENTS,
          HOST,
          PORT,
          TOKEN,
          TOKEN_FILE,
          METRICS_OPEN,
          TLS_CERTIFICATE,
          TLS_KEY);

  private AdminSettings() {}
}
