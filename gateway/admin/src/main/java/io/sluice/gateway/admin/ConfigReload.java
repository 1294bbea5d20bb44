package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.query.ReloadOutcome;

/** Reload of the node's configuration file. For any thread. */
public interface ConfigReload {
  /**
   * Reads and validates the file, and changes nothing; waits for the event loops.
   *
   * @return null if the node was started without a file
   */
  ReloadOutcome.Preview preview();

  /**
   * Reads and validates the file, applies what has changed, and records it in the audit log; waits
   * for the disk.
   *
   * @param by sender of the command, for the audit log
   * @return null if the node was started without a file
   */
  ReloadOutcome reload(Operator by);
}
