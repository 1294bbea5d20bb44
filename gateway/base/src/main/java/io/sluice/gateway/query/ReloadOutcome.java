package io.sluice.gateway.query;

import java.util.List;
import java.util.Map;

/**
 * Outcome of a reload of the configuration file. Immutable, for any thread.
 *
 * @param problems problems of the file; if there are any, nothing has changed
 * @param applied changed keys that the node has applied
 * @param restart changed keys that apply after a restart, with the reason of each
 */
public record ReloadOutcome(
    List<String> problems, List<String> applied, Map<String, String> restart) {
  /**
   * Losses of sessions by a reload.
   *
   * @param sessions number of sessions that lose something
   * @param first the first of them
   * @param claims claims that the new rules use and connected sessions have not retained; a session
   *     has them after its next refresh
   */
  public record Losses(long sessions, List<PermissionLoss> first, List<String> claims) {
    /** Result of a change without effect on permissions. */
    public static final Losses NONE = new Losses(0, List.of(), List.of());
  }

  /**
   * Outcome that a reload would have.
   *
   * @param outcome changed keys that the node would apply, or problems
   */
  public record Preview(ReloadOutcome outcome, Losses losses) {}
}
