package io.sluice.gateway.auth;

import java.util.concurrent.CompletionStage;

/** One way to find out whether a token is valid. Called by the threads that check tokens. */
interface TokenCheck extends AutoCloseable {
  /** Fails with {@link AuthenticationFailure} only. */
  CompletionStage<Principal> check(String token);

  @Override
  void close();
}
