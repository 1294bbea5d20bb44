package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.map;
import static io.sluice.gateway.config.Setting.ratio;
import static io.sluice.gateway.config.Setting.text;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Configuration keys of the node, its logs, its admin port and tracing. Constants only. */
public final class AdminSettings {
  public static final Setting<String> NODE_NAME =
      text(
          "node.name",
          "",
          "Name of this node in hello frames, logs and metrics; empty: the host name.");

  public static final Setting<String> LOG_FORMAT =
      choice("log.format", "text", List.of("text", "json"), "Format of log lines.");
  private static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace");
  public static final Setting<String> LOG_LEVEL =
      choice("log.level", "info", LEVELS, "Lowest severity that is logged.");
  public static final Setting<Map<String, String>> LOG_LEVELS =
      map(
          "log.levels",
          "Levels of single loggers and those below them, such as {io.sluice.gateway.hub:"
              + " debug}; they override log.level.");

  private static final Pattern LOGGER = Pattern.compile("[A-Za-z0-9_$]+(\\.[A-Za-z0-9_$]+)*");
  private static final int MAX_LOGGER_LENGTH = 200;

  /** Loggers that would log passwords, which their libraries copy, below warn. */
  private static final String SECRETIVE = "org.apache.commons.beanutils";

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
          "Events in the audit log; also possible: subscribed, consuming, published.");

  public static final Setting<String> HOST =
      text(
          "admin.host",
          "127.0.0.1",
          "Listen address of the admin port. Beyond loopback it requires admin.token,"
              + " admin.token-file, admin.oidc.issuer or admin.metrics-open.");
  public static final Setting<Integer> PORT =
      integer("admin.port", 9090, 0, 65535, "Admin port; 0: any free port.");
  public static final Setting<String> READY_WITHOUT_BROKER =
      choice(
          "admin.ready-without-broker",
          "unless-elsewhere",
          List.of("unless-elsewhere", "never"),
          "Readiness after a loss of the broker. unless-elsewhere: ready unless another node of"
              + " the cluster has it; never: not ready.");
  public static final Setting<String> TOKEN =
      text(
          "admin.token",
          "",
          "Bearer token of operators, at least 16 characters; empty: only those of"
              + " admin.token-file.");
  public static final Setting<String> TOKEN_FILE =
      text(
          "admin.token-file",
          "",
          "File with admin tokens, one per line, all accepted; reloaded when it changes.");
  public static final Setting<String> OIDC_ISSUER =
      text(
          "admin.oidc.issuer",
          "",
          "URL of the OpenID Connect issuer whose tokens operators may use; equal to iss."
              + " auth.trust, auth.allow-plain-http, auth.timeout and auth.jwt.algorithms apply.");
  public static final Setting<String> OIDC_CLIENT_ID =
      text(
          "admin.oidc.client-id",
          "",
          "Client id of the console at the issuer: a public client, authorization code with"
              + " PKCE.");
  public static final Setting<List<String>> OIDC_AUDIENCE =
      list(
          "admin.oidc.audience",
          List.of(),
          "Audiences (aud) accepted in addition to admin.oidc.client-id, such as that of"
              + " scripts.");
  public static final Setting<List<String>> OIDC_SCOPES =
      list(
          "admin.oidc.scopes",
          List.of("openid"),
          "Scopes that the console requests; add those for the roles and a refresh token.");
  public static final Setting<String> OIDC_SUBJECT_CLAIM =
      text(
          "admin.oidc.subject-claim",
          "sub",
          "Claim with the operator's name in the audit log, such as email.");
  public static final Setting<String> OIDC_ROLE_CLAIM =
      text(
          "admin.oidc.role-claim",
          "roles",
          "Claim with a user's roles, a text or a list; dots separate nested claims, such as"
              + " realm_access.roles.");
  public static final Setting<List<String>> OIDC_ROLES =
      list(
          "admin.oidc.roles",
          List.of(),
          "Roles of operators, of which a user needs one; required with admin.oidc.issuer.");
  public static final Setting<Boolean> CONSOLE =
      flag("admin.console", true, "Serve the console at /console/.");
  public static final Setting<Boolean> METRICS_OPEN =
      flag("admin.metrics-open", false, "Serve metrics without a token.");
  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "admin.tls.certificate",
          "",
          "PEM file with the admin port's certificate and its chain; if set, the port accepts"
              + " TLS only.");
  public static final Setting<String> TLS_KEY =
      text("admin.tls.key", "", "PEM file with its private key, as server.tls.key.");
  public static final Setting<String> TLS_CA =
      text(
          "admin.tls.ca",
          "",
          "PEM file with the authorities of other nodes' admin ports, read at the start; empty:"
              + " those of the JDK.");

  public static final Setting<Boolean> TAIL_PAYLOAD =
      flag("admin.tail-payload", false, "Show payloads in tails of topics.");
  public static final Setting<List<String>> TAIL_MASK =
      list(
          "admin.tail-mask",
          List.of(),
          "JSON members whose values tails mask; if set, payloads other than JSON are hidden.");

  public static final Setting<String> ALERTS_URL =
      text(
          "admin.alerts-url",
          "",
          "URL of the page with firing alerts, such as an Alertmanager, to which the console"
              + " links.");

  public static final Setting<String> TRACING_ENDPOINT =
      text(
          "tracing.endpoint",
          "",
          "URL of an OpenTelemetry receiver (OTLP over HTTP) for spans of sampled messages, such"
              + " as http://collector:4318/v1/traces. If set, clients receive traceparent and"
              + " tracestate.");
  public static final Setting<String> TRACING_HEADERS_FILE =
      text(
          "tracing.headers-file",
          "",
          "File with HTTP headers for the receiver in one line, name=value,name=value; read at"
              + " the start.");
  public static final Setting<Double> TRACING_SAMPLE_RATIO =
      ratio(
          "tracing.sample-ratio",
          1,
          "Share of the traces sampled by publishers for which the node exports spans.");
  public static final Setting<String> TRACING_SERVICE_NAME =
      text("tracing.service-name", "sluice", "Attribute service.name of the spans.");
  public static final Setting<Integer> TRACING_QUEUE =
      integer(
          "tracing.queue",
          2048,
          1,
          65536,
          "Maximum number of messages whose spans wait for export; more are dropped and counted.");

  /** Keys of these sections, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          NODE_NAME,
          LOG_FORMAT,
          LOG_LEVEL,
          LOG_LEVELS,
          AUDIT_FILE,
          AUDIT_EVENTS,
          HOST,
          PORT,
          READY_WITHOUT_BROKER,
          TOKEN,
          TOKEN_FILE,
          OIDC_ISSUER,
          OIDC_CLIENT_ID,
          OIDC_AUDIENCE,
          OIDC_SCOPES,
          OIDC_SUBJECT_CLAIM,
          OIDC_ROLE_CLAIM,
          OIDC_ROLES,
          CONSOLE,
          METRICS_OPEN,
          TLS_CERTIFICATE,
          TLS_KEY,
          TLS_CA,
          TAIL_PAYLOAD,
          TAIL_MASK,
          ALERTS_URL,
          TRACING_ENDPOINT,
          TRACING_HEADERS_FILE,
          TRACING_SAMPLE_RATIO,
          TRACING_SERVICE_NAME,
          TRACING_QUEUE);

  private AdminSettings() {}

  /** Returns whether operators can authenticate at the admin port. */
  public static boolean hasLogin(Config config) {
    return !config.get(TOKEN).isEmpty()
        || !config.get(TOKEN_FILE).isEmpty()
        || !config.get(OIDC_ISSUER).isEmpty();
  }

  /**
   * Returns the reason why a logger cannot have a level; empty if it can.
   *
   * @param logger name of the logger; ROOT for the root
   */
  public static String logLevelProblem(String logger, String level) {
    if (logger.length() > MAX_LOGGER_LENGTH || !LOGGER.matcher(logger).matches()) {
      return "the logger is not a name such as io.sluice.gateway.hub, of at most "
          + MAX_LOGGER_LENGTH
          + " characters";
    }
    if (!LEVELS.contains(level)) {
      return ValueText.quote(level)
          + " is not a level; expected one of "
          + String.join(", ", LEVELS);
    }
    boolean verbose = LEVELS.indexOf(level) > LEVELS.indexOf("warn");
    if (verbose && (logger + ".").startsWith(SECRETIVE + ".")) {
      return logger + " would log passwords at level " + level + "; allowed are error and warn";
    }
    if (level.equals("trace") && !(logger + ".").startsWith("io.sluice.")) {
      return "trace is allowed for io.sluice and loggers below it only";
    }
    return "";
  }
}
