package io.sluice.gateway.session;

import io.sluice.gateway.auth.Principal;

/**
 * Filter and page of a list of sessions. Immutable, for any thread.
 *
 * @param subject required subject; null for any
 * @param after number of the session after which the page starts; 0 for the first page
 * @param limit largest number of sessions
 */
public record SessionQuery(String subject, long after, int limit) {
  boolean matches(long number, Principal principal) {
    return number > after && (subject == null || subject.equals(principal.name()));
  }
}
