package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import java.util.Arrays;

/**
 * Rule for which requests without a credential are answered with a {@code Negotiate} challenge,
 * because browsers send no Kerberos ticket unprompted. Immutable, for any thread.
 */
final class NegotiateChallenge {
  /** Parameter of the URL by which a page requests the challenge. */
  private static final String PARAMETER = "auth=negotiate";

  private final boolean tickets;
  private final boolean alternative;

  /**
   * @param tickets whether the node accepts tickets
   * @param alternative whether clients may connect without a ticket; certificates do not count,
   *     because a client cannot send one later
   */
  NegotiateChallenge(boolean tickets, boolean alternative) {
    this.tickets = tickets;
    this.alternative = alternative;
  }

  /**
   * Returns the challenge to a request, or null if there is none.
   *
   * @param credential null if the request has none
   * @param query of the URL, or null
   */
  Refusal of(Credential credential, String query) {
    boolean due = tickets && credential == null && (!alternative || isRequested(query));
    return due ? Refusal.unauthorized() : null;
  }

  private static boolean isRequested(String query) {
    return query != null && Arrays.asList(query.split("&")).contains(PARAMETER);
  }
}
