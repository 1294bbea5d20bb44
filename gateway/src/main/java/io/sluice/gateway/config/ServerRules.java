package io.sluice.gateway.config;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Validation rules for the settings of the client port, the admin port and the audit log. Used
 * once, by one thread.
 */
final class ServerRules {
  private final ConfigFindings findings;
  private final Config config;

  ServerRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkAddresses();
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

  private void checkOrigins() {
    for (String origin : config.get(ServerSettings.ALLOWED_ORIGINS)) {
      if (!origin.equals("*") && !isOrigin(origin)) {
        findings.report(
            ValueText.quote(origin) + " is not an origin",
            "* or a scheme and a host, such as https://app.example.com",
            ServerSettings.ALLOWED_ORIGINS);
      }
    }
  }

  /** Returns whether a text is a scheme, host and optional port, without a trailing slash. */
  private static boolean isOrigin(String text) {
    try {
      URI uri = URI.create(text);
      return uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getRawPath().isEmpty()
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  /**
   * Reports credentials that browsers send by themselves if all origins are allowed. Any page could
   * then act in the name of its visitor.
   */
  private void checkCrossSiteHijacking() {
    if (!config.get(ServerSettings.ALLOWED_ORIGINS).contains("*")) {
      return;
    }
    if (!config.get(AuthSettings.COOKIE).isEmpty()) {
      reportHijacking("cookie", AuthSettings.COOKIE);
    }
    if (!config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none")) {
      reportHijacking("certificate", ServerSettings.TLS_CLIENT_AUTH);
    }
    if (!config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()) {
      reportHijacking("ticket", AuthSettings.KERBEROS_KEYTAB);
    }
  }

  private void reportHijacking(String credential, Setting<?> setting) {
    findings.report(
        "* allows any page to connect with a visitor's " + credential + " (" + setting.key() + ")",
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
