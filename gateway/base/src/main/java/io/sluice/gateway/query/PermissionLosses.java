package io.sluice.gateway.query;

import java.util.ArrayList;
import java.util.List;

/**
 * Losses of sessions by a change of the configuration: number of sessions, and the first ones. Used
 * by one thread at a time.
 */
public final class PermissionLosses {
  /** Maximum number of listed sessions. */
  private static final int MAX_SESSIONS = 100;

  private final List<PermissionLoss> first = new ArrayList<>();
  private long sessions;

  /**
   * Adds a session.
   *
   * @param loss null if it loses nothing
   */
  public void add(PermissionLoss loss) {
    if (loss != null) {
      sessions++;
      list(loss);
    }
  }

  /** Adds other losses. */
  public PermissionLosses add(PermissionLosses others) {
    sessions += others.sessions;
    others.first.forEach(this::list);
    return this;
  }

  private void list(PermissionLoss loss) {
    if (first.size() < MAX_SESSIONS) {
      first.add(loss);
    }
  }

  /** Returns the number of sessions that lose something. */
  public long sessions() {
    return sessions;
  }

  /** Returns the first of them. */
  public List<PermissionLoss> first() {
    return List.copyOf(first);
  }
}
