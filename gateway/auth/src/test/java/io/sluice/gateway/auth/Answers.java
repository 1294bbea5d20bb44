package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.revocation.Revocations;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Helpers for the results of credential checks. */
final class Answers {
  private Answers() {}

  static Authentication open(Config config) {
    return open(AuthOptions.of(config));
  }

  static Authentication open(AuthOptions options) {
    try {
      return openChecked(options);
    } catch (UnusableAuth e) {
      throw new AssertionError(e);
    }
  }

  static Authentication openChecked(Config config) throws UnusableAuth {
    return openChecked(AuthOptions.of(config));
  }

  private static Authentication openChecked(AuthOptions options) throws UnusableAuth {
    return Authentication.open(options, Revocations.of(options.revocations()));
  }

  static CompletableFuture<Principal> ask(Authentication by, String token) {
    return ask(by, token, "192.0.2.1");
  }

  static CompletableFuture<Principal> ask(Authentication by, String token, String address) {
    return by.authenticate(new Credential.Token(token), address).toCompletableFuture();
  }

  static Principal accepted(Authentication by, String token) {
    return ask(by, token).orTimeout(30, TimeUnit.SECONDS).join();
  }

  static AuthenticationFailure refused(Authentication by, String token) {
    try {
      Principal accepted = accepted(by, token);
      throw new AssertionError("let in: " + accepted);
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(AuthenticationFailure.class);
      return (AuthenticationFailure) e.getCause();
    }
  }

  static Reason reason(Authentication by, String token) {
    return refused(by, token).reason();
  }
}
