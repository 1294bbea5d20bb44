package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All the ways in which clients of a node may show who they are. For any thread. */
public final class Authentication implements Authenticator {
  private final boolean anonymous;
  private final Authenticator tokens;
  private final Authenticator certificates;
  private final Authenticator tickets;
  private final CheckThreads threads;
  private final Revocations revocations;
  private final long timeoutMs;

  /**
   * @param timeoutMs how long a check may take
   * @param tokens null if the node takes none; likewise the other two
   * @param threads where checks run; closed with this
   */
  Authentication(
      boolean anonymous,
      long timeoutMs,
      Authenticator tokens,
      Authenticator certificates,
      Authenticator tickets,
      CheckThreads threads,
      Revocations revocations) {
    this.anonymous = anonymous;
    this.timeoutMs = timeoutMs;
    this.tokens = tokens;
    this.certificates = certificates;
    this.tickets = tickets;
    this.threads = threads;
    this.revocations = revocations;
  }

  /** Gets ready to check credentials as configured. */
  public static Authentication open(AuthOptions options, Revocations revocations)
      throws UnusableAuth {
    boolean anonymous = options.anonymous();
    CheckThreads threads = new CheckThreads(options.threads(), options.queue());
    Authenticator tickets = Tickets.open(options, threads).orElse(null);
    Authenticator tokens = TokenAuthenticator.open(options, threads).orElse(null);
    Authenticator certificates = Certificates.of(options.certificateName());
    if (!anonymous && tokens == null && certificates == null && tickets == null) {
      throw new UnusableAuth(
          AuthSettings.ANONYMOUS,
          "is false and no other way in is configured, so nobody could connect; 'sluice run"
              + " --anonymous' lets everybody in",
          null);
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
   */
  @Override
  public CompletionStage<Principal> authenticate(Credential credential) {
    if (credential == null) {
      return anonymous
          ? CompletableFuture.completedFuture(Principal.ANONYMOUS)
          : refuse(Reason.MISSING, "this node lets nobody in without a credential");
    }
    if (credential instanceof Credential.Token) {
      return check(tokens, credential, "tokens");
    }
    return credential instanceof Credential.Certificate
        ? check(certificates, credential, "certificates")
        : check(tickets, credential, "Kerberos tickets");
  }

  /** How often the issuer of tokens was asked in vain. */
  public long issuerFailures() {
    return tokens == null ? 0 : tokens.failures();
  }

  private CompletionStage<Principal> check(Authenticator by, Credential credential, String kind) {
    if (by == null) {
      return refuse(Reason.REFUSED, "this node takes no " + kind);
    }
    return within(by.authenticate(credential)).thenCompose(this::unlessRevoked);
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
        ? refuse(Reason.UNAVAILABLE, "the credential could not be checked in time")
        : CompletableFuture.failedFuture(cause);
  }

  private CompletionStage<Principal> unlessRevoked(Principal principal) {
    return revocations.cover(principal)
        ? CompletableFuture.failedFuture(revoked(principal))
        : CompletableFuture.completedFuture(principal);
  }

  /** What a client is told whose credential an operator has withdrawn. */
  public static AuthenticationFailure revoked(Principal owner) {
    return new AuthenticationFailure(Reason.REVOKED, "this credential has been withdrawn", owner);
  }

  private static CompletionStage<Principal> refuse(Reason reason, String message) {
    return CompletableFuture.failedFuture(new AuthenticationFailure(reason, message));
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
