package io.sluice.gateway;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.file.AuditFile;
import io.sluice.gateway.audit.file.AuditOptions;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.node.StartFailure;
import java.io.IOException;
import java.util.List;

/** Audit log of a node, whose module may be missing. Stateless, for any thread. */
final class NodeAudit {
  private NodeAudit() {}

  /**
   * Opens the configured log; without the module none.
   *
   * @throws StartFailure if the file cannot be written, or the module is missing
   */
  static AuditLog open(Config config) throws StartFailure {
    try {
      return AuditFile.open(AuditOptions.of(config));
    } catch (IOException e) {
      throw new StartFailure(AdminSettings.AUDIT_FILE.key() + " " + e.getMessage(), e);
    } catch (NoClassDefFoundError missing) {
      StartFailure failure = StartFailure.missing(AdminSettings.AUDIT_FILE, missing);
      if (config.get(AdminSettings.AUDIT_FILE).isEmpty()) {
        return AuditLog.NONE;
      }
      throw failure;
    }
  }

  /** Reports the problems of the log's keys, or that its module is missing. */
  static void check(ConfigFindings findings) {
    StartFailure.reportMissing(
        findings,
        List.of(AdminSettings.AUDIT_FILE, AdminSettings.AUDIT_EVENTS),
        () -> AuditFile.check(findings));
  }
}
