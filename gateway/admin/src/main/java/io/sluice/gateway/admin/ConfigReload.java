package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.query.PermissionLoss;
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
   * Losses of sessions by a reload.
   *
   * @param sessions number of sessions that lose something
   * @param first the first of them
   * @param claims claims that the new rules use and connected sessions have not retained; a session
   *     has them after its next refresh
   */
  record Losses(long sessions, List<PermissionLoss> first, List<String> claims) {
    /** Result of a change without effect on permissions. */
    public static final Losses NONE = new Losses(0, List.of(), List.of());
  }

  /**
   * Outcome that a reload would have.
   *
   * @param outcome changed keys that the node would apply, or problems
   */
  record Preview(Outcome outcome, Losses losses) {}

  /**
   * Reads and validates the file, and changes nothing; waits for the event loops.
   *
   * @return null if the node was started without a file
   */
  Preview preview();

  /**
   * Reads and validates the file, applies what has changed, and records it in the audit log; waits
   * for the disk.
   *
   * @param by sender of the command, for the audit log
   * @return null if the node was started without a file
   */
  Outcome reload(Operator by);
}
