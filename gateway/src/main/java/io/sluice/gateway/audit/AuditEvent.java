package io.sluice.gateway.audit;

import java.util.Locale;

/** What the audit log can tell of; {@code audit.events} chooses by {@link #word}. */
public enum AuditEvent {
  CONNECTED,
  REFRESHED,
  DISCONNECTED,
  SUBSCRIBED,
  PUBLISHED,
  REFUSED,
  REVOKED,
  RESTORED,
  COMMANDED,
  ADMIN_REFUSED;

  private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** The word in the configuration and in the log. */
  public String word() {
    return word;
  }
}
