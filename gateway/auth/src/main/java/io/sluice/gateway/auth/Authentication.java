package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.revocation.Revocations;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All authentication mechanisms of a node, and the timeout of a check. For any thread. */
public final class Authentication implements Authenticator {
  private final boolean anonymous;
  private final Authenticator tokens;
  private final Authenticator certificates;
  private final Authenticator tickets;
  private final AuthExecutor threads;
  private final Revocations revocations;
  private final long timeoutMs;

  /**
   * @param timeoutMs timeout of one check
   * @param tokens null if tokens are not accepted; likewise the other two
   * @param threads run the checks; closed with this object
   */
  Authentication(
      boolean anonymous,
      long timeoutMs,
      Authenticator tokens,
      Authenticator certificates,
      Authenticator tickets,
      AuthExecutor threads,
      Revocations revocations) {
    this.anonymous = anonymous;
    this.timeoutMs = timeoutMs;
    this.tokens = tokens;
    this.certificates = certificates;
    this.tickets = tickets;
    this.threads = threads;
    this.revocations = revocations;
  }

  /** Problem of a configuration without any mechanism. */
  static final String NO_MECHANISM =
      "is false and no other mechanism is configured, so no client could connect; 'sluice run"
          + " --anonymous' admits clients without a credential";

  /** Creates the configured mechanisms, opens their files and starts their threads. */
  public static Authentication open(AuthOptions options, Revocations revocations)
      throws UnusableAuth {
    boolean anonymous = options.anonymous();
    AuthExecutor threads = new AuthExecutor(options.threads(), options.queue());
    Authenticator tickets = KerberosTickets.open(options, threads).orElse(null);
    Authenticator tokens = TokenAuthenticator.open(options, threads).orElse(null);
    Authenticator certificates = Certificates.of(options.certificateName());
    if (!anonymous && tokens == null && certificates == null && tickets == null) {
      throw new UnusableAuth(AuthSettings.ANONYMOUS, NO_MECHANISM, null);
    }
    return new Authentication(
        anonymous,
        options.timeout().toMillis(),
        tokens,
        certificates,
        tickets,
        threads,
        revocations);
  }

  /**
   * Checks a credential.
   *
   * @param credential null if none was shown
   * @param address name of the sender's address, for its share of pending checks
   */
  @Override
  public CompletionStage<Principal> authenticate(Credential credential, String address) {
    if (credential == null) {
      return anonymous
          ? CompletableFuture.completedFuture(Principal.ANONYMOUS)
          : AuthenticationFailure.stage(
              Reason.MISSING, "this node requires a credential, such as the token of connect");
    }
    if (credential instanceof Credential.Token) {
      return check(tokens, credential, address, "tokens");
    }
    return credential instanceof Credential.Certificate
        ? check(certificates, credential, address, "certificates")
        : check(tickets, credential, address, "Kerberos tickets");
  }

  /** Returns the number of failed requests to the issuer of tokens. */
  public long issuerFailures() {
    return tokens == null ? 0 : tokens.failures();
  }

  @Override
  public IssuerMetadata issuerMetadata() {
    return tokens == null ? null : tokens.issuerMetadata();
  }

  private CompletionStage<Principal> check(
      Authenticator by, Credential credential, String address, String kind) {
    if (by == null) {
      return AuthenticationFailure.stage(Reason.REFUSED, "this node does not accept " + kind);
    }
    return within(by.authenticate(credential, address)).thenCompose(this::unlessRevoked);
  }

  private CompletionStage<Principal> within(CompletionStage<Principal> answer) {
    return answer
        .toCompletableFuture()
        .copy()
        .orTimeout(timeoutMs, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(Authentication::inTime);
  }

  private static CompletionStage<Principal> inTime(Throwable cause) {
    return cause instanceof TimeoutException
        ? AuthenticationFailure.stage(
            Reason.UNAVAILABLE, "the credential could not be checked in time")
        : CompletableFuture.failedFuture(cause);
  }

  private CompletionStage<Principal> unlessRevoked(Principal principal) {
    return revocations.isRevoked(principal)
        ? CompletableFuture.failedFuture(revoked(principal))
        : CompletableFuture.completedFuture(principal);
  }

  /** Returns the failure of a credential that an operator has revoked. */
  public static AuthenticationFailure revoked(Principal owner) {
    return new AuthenticationFailure(Reason.REVOKED, "this credential has been withdrawn", owner);
  }

  @Override
  public void close() {
    threads.close();
    for (Authenticator each : new Authenticator[] {tokens, certificates, tickets}) {
      if (each != null) {
        each.close();
      }
    }
  }
}
