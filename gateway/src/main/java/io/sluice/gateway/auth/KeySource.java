package io.sluice.gateway.auth;

import java.util.concurrent.CompletionStage;

/** Where the keys of JWTs come from. For any thread. */
interface KeySource extends AutoCloseable {
  /** The keys as they are known now; null if they never were. */
  KeyRing current();

  /**
   * The keys after another look at where they come from, because those of now do not do.
   *
   * @return fails with {@link AuthenticationFailure} if that cannot be had, or not so soon
   */
  CompletionStage<KeyRing> renewed();

  @Override
  void close();
}
