package io.sluice.gateway.auth;

import java.util.concurrent.CompletionStage;

/** Finds out whether credentials are valid. Any thread may ask, and is never held up. */
public interface Authenticator extends AutoCloseable {
  /**
   * Checks a credential.
   *
   * @return completed on any thread; fails with {@link AuthenticationFailure} only
   */
  CompletionStage<Principal> authenticate(Credential credential);

  /** How often somebody else was asked in vain so far. */
  default long failures() {
    return 0;
  }

  /** Ends its threads and connections; who waits is told that nobody could be asked. */
  @Override
  void close();
}
