package io.sluice.gateway.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** What must hold of the admin port and of the audit log. Used once, by one thread. */
final class AdminRules {
  /** Words of the audit log, which the test of its events keeps equal to these. */
  static final List<String> AUDIT_EVENTS =
      List.of(
          "connected",
          "refreshed",
          "disconnected",
          "subscribed",
          "published",
          "refused",
          "revoked",
          "restored",
          "commanded",
          "admin-refused");

  private final Findings findings;
  private final Config config;

  AdminRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkAdmin();
    checkAudit();
  }

  private void checkAdmin() {
    String host = config.get(AdminSettings.HOST);
    boolean noToken =
        config.get(AdminSettings.TOKEN).isEmpty() && config.get(AdminSettings.TOKEN_FILE).isEmpty();
    if (noToken && !config.get(AdminSettings.METRICS_OPEN) && !Loopback.is(host)) {
      findings.report(
          ValueText.quote(host) + " can be reached by others, and the admin port asks for no token",
          "a loopback address, admin.token, admin.token-file, or admin.metrics-open: true for"
              + " metrics without commands",
          AdminSettings.HOST);
    }
    try {
      AdminTokens.read(config);
    } catch (UnusableToken e) {
      findings.report(e.what(), "tokens of 16 characters or more", e.setting());
    }
    try {
      TlsIdentity.readAdmin(config);
    } catch (UnusableTls e) {
      findings.report(
          e.what(), "", e.setting(), AdminSettings.TLS_CERTIFICATE, AdminSettings.TLS_KEY);
    }
  }

  private void checkAudit() {
    for (String event : config.get(AuditSettings.EVENTS)) {
      if (!AUDIT_EVENTS.contains(event)) {
        findings.report(
            ValueText.quote(event) + " is unknown" + NearestKey.hint(event, AUDIT_EVENTS),
            "some of " + String.join(", ", AUDIT_EVENTS),
            AuditSettings.EVENTS);
      }
    }
    try {
      Path.of(config.get(AuditSettings.FILE));
    } catch (InvalidPathException malformed) {
      findings.report("is no path: " + malformed.getReason(), "a file, or -", AuditSettings.FILE);
    }
  }
}
