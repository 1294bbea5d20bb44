package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;
import java.util.List;
import java.util.Map;

/** Reload of the node's configuration file. For any thread. */
public interface ConfigReload {
  /**
   * Outcome of a reload.
   *
   * @param problems problems of the file; if there are any, nothing has changed
   * @param applied changed keys that the node has applied
   * @param restart changed keys that apply after a restart, with the reason of each
   */
  record Outcome(List<String> problems, List<String> applied, Map<String, String> restart) {}

  /**
   * Reads and validates the file, applies what has changed, and records it in the audit log; waits
   * for the disk.
   *
   * @param by sender of the command, for the audit log
   * @return null if the node was started without a file
   */
  Outcome reload(Operator by);
}
