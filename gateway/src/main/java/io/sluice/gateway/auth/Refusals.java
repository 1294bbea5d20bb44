package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Failures as stages. Stateless. */
final class Refusals {
  private Refusals() {}

  static <T> CompletionStage<T> of(Reason reason, String message) {
    return CompletableFuture.failedFuture(new AuthenticationFailure(reason, message));
  }

  /** What a stage failed with, out of what futures wrap around it. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
