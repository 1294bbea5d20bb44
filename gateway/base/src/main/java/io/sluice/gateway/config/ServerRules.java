package io.sluice.gateway.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * Validation rules for the settings of the client port, the admin port and the audit log. Used
 * once, by one thread.
 */
final class ServerRules {
  private static final int MAX_PORT = 65_535;

  private final ConfigFindings findings;
  private final Config config;

  ServerRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkAddresses();
    checkProtocols();
    checkOrigins();
    checkCrossSiteHijacking();
    checkProxies();
    checkAdmin();
    checkAudit();
    checkLogLevels();
  }

  private void checkAddresses() {
    int port = config.get(ServerSettings.PORT);
    boolean same = port != 0 && port == config.get(AdminSettings.PORT);
    if (same) {
      findings.report(
          port + " is also the value of server.port",
          "a different port",
          AdminSettings.PORT,
          ServerSettings.PORT);
    }
  }

  private void checkProtocols() {
    List<String> known = ServerSettings.PROTOCOLS.defaultValue();
    for (String name : config.get(ServerSettings.PROTOCOLS)) {
      int port = name.matches("mqtt:[1-9]\\d{0,4}") ? Integer.parseInt(name.substring(5)) : 0;
      if (port > 0 && port <= MAX_PORT) {
        checkPort(name, port);
      } else if (!known.contains(name)) {
        findings.report(
            "no protocol \"" + name + "\"",
            "some of " + String.join(", ", known) + ", mqtt:PORT (1 to " + MAX_PORT + ")",
            ServerSettings.PROTOCOLS);
      }
    }
  }

  private void checkPort(String name, int port) {
    for (Setting<Integer> other :
        List.of(ServerSettings.PORT, AdminSettings.PORT, LinkSettings.PORT)) {
      if (config.get(other) == port) {
        String what = name + " has the port of " + other.key();
        findings.report(what, "a different port", ServerSettings.PROTOCOLS, other);
      }
    }
  }

  private void checkOrigins() {
    for (String origin : config.get(ServerSettings.ALLOWED_ORIGINS)) {
      if (!WebOrigin.isAny(origin)) {
        WebOrigin.problem(origin)
            .ifPresent(
                problem ->
                    findings.report(
                        problem.what(), problem.expected(), ServerSettings.ALLOWED_ORIGINS));
      }
    }
  }

  /**
   * Reports credentials that browsers send by themselves if any page may connect. It could then act
   * in the name of its visitor. A sandboxed frame of any page has the origin null.
   */
  private void checkCrossSiteHijacking() {
    List<String> origins = config.get(ServerSettings.ALLOWED_ORIGINS);
    for (String any : List.of("*", WebOrigin.NULL.text())) {
      if (origins.contains(any)) {
        checkCredentials(any);
      }
    }
  }

  private void checkCredentials(String origin) {
    if (!config.get(AuthSettings.COOKIE).isEmpty()) {
      reportHijacking(origin, "cookie", AuthSettings.COOKIE);
    }
    if (!config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none")) {
      reportHijacking(origin, "certificate", ServerSettings.TLS_CLIENT_AUTH);
    }
    if (!config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()) {
      reportHijacking(origin, "ticket", AuthSettings.KERBEROS_KEYTAB);
    }
  }

  private void reportHijacking(String origin, String credential, Setting<?> setting) {
    findings.report(
        origin
            + " allows any page to connect with a visitor's "
            + credential
            + " ("
            + setting.key()
            + ")",
        "the origins of your own pages",
        ServerSettings.ALLOWED_ORIGINS,
        setting);
  }

  private void checkProxies() {
    for (String range : config.get(ServerSettings.TRUSTED_PROXIES)) {
      if (AddressRange.parse(range).isEmpty()) {
        findings.report(
            ValueText.quote(range) + " is not an address or address range",
            "an address or range such as 10.0.0.7, 10.0.0.0/8, ::1 or 2001:db8::/32",
            ServerSettings.TRUSTED_PROXIES);
      }
    }
    if (config.get(ServerSettings.TRUSTED_PROXIES).isEmpty()) {
      if (config.get(ServerSettings.PROXY_PROTOCOL)) {
        needsProxies(ServerSettings.PROXY_PROTOCOL);
      }
      if (!config.get(ServerSettings.FORWARDED_HEADER).equals("none")) {
        needsProxies(ServerSettings.FORWARDED_HEADER);
      }
    }
  }

  private void needsProxies(Setting<?> setting) {
    findings.report(
        "is empty, but " + setting.key() + " needs it",
        "the addresses of the proxies",
        ServerSettings.TRUSTED_PROXIES,
        setting);
  }

  private void checkAdmin() {
    String host = config.get(AdminSettings.HOST);
    boolean open = !AdminSettings.hasLogin(config) && !config.get(AdminSettings.METRICS_OPEN);
    if (open && !AddressRange.isLoopback(host)) {
      findings.report(
          ValueText.quote(host)
              + " is reachable by other machines, but no admin token is configured",
          "a loopback address, admin.token, admin.token-file, admin.oidc.issuer, or"
              + " admin.metrics-open: true for metrics without commands",
          AdminSettings.HOST);
    }
  }

  private void checkLogLevels() {
    config
        .get(AdminSettings.LOG_LEVELS)
        .forEach(
            (logger, level) -> {
              String problem = AdminSettings.logLevelProblem(logger, level);
              if (!problem.isEmpty()) {
                findings.reportEntry(
                    problem, "a logger and its level", AdminSettings.LOG_LEVELS, logger);
              }
            });
  }

  private void checkAudit() {
    checkPath(AdminSettings.AUDIT_FILE, "a file, or -");
    checkPath(AuthSettings.REVOCATIONS_FILE, "a file");
  }

  private void checkPath(Setting<String> setting, String expected) {
    try {
      Path.of(config.get(setting));
    } catch (InvalidPathException malformed) {
      findings.report("is not a valid path: " + malformed.getReason(), expected, setting);
    }
  }
}
