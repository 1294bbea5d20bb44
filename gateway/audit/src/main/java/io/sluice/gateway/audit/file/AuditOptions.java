package io.sluice.gateway.audit.file;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.util.List;

/**
 * Options of the audit log. Immutable, for any thread.
 *
 * @param file name of the file, {@code -} for standard output, empty for none
 * @param events words of the events that are written
 * @param node name of the node in each line
 */
public record AuditOptions(String file, List<String> events, String node) {
  /** Returns the options of a configuration; values may be invalid. */
  public static AuditOptions of(Config config) {
    return new AuditOptions(
        config.get(AdminSettings.AUDIT_FILE),
        config.get(AdminSettings.AUDIT_EVENTS),
        config.get(AdminSettings.NODE_NAME));
  }
}
