package io.sluice.gateway.audit;

import java.util.Locale;

/** Kinds of audit events; {@code audit.events} selects them by {@link #word}. */
public enum AuditEvent {
  CONNECTED,
  REFRESHED,
  DISCONNECTED,
  SUBSCRIBED,
  CONSUMING,
  DELETED,
  PUBLISHED,
  REFUSED,
  REVOKED,
  RESTORED,
  COMMANDED,
  ADMIN_REFUSED;

  private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** Returns the word in the configuration and in the log. */
  public String word() {
    return word;
  }
}
