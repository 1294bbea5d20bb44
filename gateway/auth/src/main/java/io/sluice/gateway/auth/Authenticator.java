package io.sluice.gateway.auth;

import java.util.concurrent.CompletionStage;

/** Check of one kind of credentials. Any thread may call it; it never blocks. */
public interface Authenticator extends AutoCloseable {
  /**
   * Checks a credential.
   *
   * @param address name of the sender's address, for its share of pending checks
   * @return completed on any thread; fails with {@link AuthenticationFailure} only
   */
  CompletionStage<Principal> authenticate(Credential credential, String address);

  /** Returns the number of failed requests to an external service so far. */
  default long failures() {
    return 0;
  }

  /** Returns the endpoints of the issuer, discovered so far; null if there are none. */
  default IssuerMetadata issuerMetadata() {
    return null;
  }

  /**
   * Stops threads and closes connections; pending checks fail with {@link
   * AuthenticationFailure.Reason#UNAVAILABLE}.
   */
  @Override
  void close();
}
