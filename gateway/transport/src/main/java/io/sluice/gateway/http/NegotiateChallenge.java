package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.Refusal;
import java.util.Arrays;

/**
 * Rule for which requests without a credential are answered with a {@code Negotiate} challenge,
 * because browsers send no Kerberos ticket unprompted. Immutable, for any thread.
 */
final class NegotiateChallenge {
  /** Parameter of the URL by which a page requests the challenge. */
  private static final String PARAMETER = "auth=negotiate";

  private final boolean always;
  private final boolean onRequest;

  /**
   * @param mode auto, always or never; null if the node accepts no tickets
   * @param alternative whether clients may connect without a ticket; certificates do not count,
   *     because a client cannot send one later
   */
  NegotiateChallenge(String mode, boolean alternative) {
    this.onRequest = "auto".equals(mode);
    this.always = "always".equals(mode) || onRequest && !alternative;
  }

  /**
   * Returns the challenge to a request, or null if there is none.
   *
   * @param credential null if the request has none
   * @param query of the URL, or null
   */
  Refusal of(Credential credential, String query) {
    boolean due = credential == null && (always || onRequest && isRequested(query));
    return due ? Refusal.unauthorized() : null;
  }

  private static boolean isRequested(String query) {
    return query != null && Arrays.asList(query.split("&")).contains(PARAMETER);
  }
}
