package io.sluice.gateway.session;

import io.sluice.gateway.auth.Principal;

/**
 * Which sessions an operator wants to see. Immutable, for any thread.
 *
 * @param subject null for any
 * @param after the number of the session behind which to go on, 0 for the first page
 * @param limit how many at most
 */
public record SessionQuery(String subject, long after, int limit) {
  boolean matches(long number, Principal principal) {
    return number > after && (subject == null || subject.equals(principal.name()));
  }
}
