package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks tokens on threads of its own, because a signature takes longer than an event loop has. For
 * any thread.
 */
final class TokenAuthenticator implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(TokenAuthenticator.class);

  /** Every JWT begins so: it is the base64url of a header's opening brace and quote. */
  private static final String JWT_BEGIN = "eyJ";

  private final long mostBytes;
  private final ExecutorService threads;
  private final Semaphore places;
  private final Set<CompletableFuture<Principal>> underWay = ConcurrentHashMap.newKeySet();
  private final TokenCheck jwts;
  private final TokenCheck others;
  private final IssuerClient issuer;

  /**
   * @param jwts null if JWTs are like all others; one of the two is there
   * @param others null if there are none but JWTs
   * @param issuer null if nobody is asked; closed with this
   */
  private TokenAuthenticator(
      Config config,
      ExecutorService threads,
      TokenCheck jwts,
      TokenCheck others,
      IssuerClient issuer) {
    this.mostBytes = config.get(Settings.AUTH_TOKEN_BYTES);
    this.places = new Semaphore(config.get(Settings.AUTH_QUEUE));
    this.threads = threads;
    this.jwts = jwts;
    this.others = others;
    this.issuer = issuer;
  }

  /**
   * Gets ready as configured.
   *
   * @return empty if the node takes no tokens
   */
  static Optional<TokenAuthenticator> open(Config config) throws UnusableAuth {
    boolean files = !config.get(Settings.AUTH_JWT_KEYS).isEmpty();
    boolean fetched =
        config.get(Settings.AUTH_JWT_DISCOVERY)
            || !config.get(Settings.AUTH_JWT_JWKS_URL).isEmpty();
    boolean asked = !config.get(Settings.AUTH_INTROSPECTION_URL).isEmpty();
    if (!files && !fetched && !asked) {
      return Optional.empty();
    }
    if (config.get(Settings.AUTH_JWT_AUDIENCE).isEmpty()) {
      log.atWarn().log("auth.any-audience");
    }
    IssuerClient issuer = fetched || asked ? IssuerClient.open(config) : null;
    KeySource keys = null;
    try {
      if (files) {
        keys = KeyFiles.open(config);
      } else if (fetched) {
        keys = FetchedKeys.open(config, issuer);
      }
    } catch (UnusableAuth | RuntimeException e) {
      if (issuer != null) {
        issuer.close();
      }
      throw e;
    }
    ExecutorService threads = DaemonThreads.pool("sluice-auth", config.get(Settings.AUTH_THREADS));
    TokenCheck jwts = keys == null ? null : new JwtCheck(config, keys, threads);
    TokenCheck others = asked ? new Introspection(config, issuer) : null;
    return Optional.of(new TokenAuthenticator(config, threads, jwts, others, issuer));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential) {
    String token = ((Credential.Token) credential).value();
    if (token.isEmpty()) {
      return Refusals.of(Reason.MALFORMED, "the token is empty, or not encoded as it should be");
    }
    if (token.length() > mostBytes) {
      return Refusals.of(Reason.MALFORMED, "the token is longer than " + mostBytes + " bytes");
    }
    TokenCheck by = jwts != null && (others == null || isJwt(token)) ? jwts : others;
    if (!places.tryAcquire()) {
      return Refusals.of(Reason.UNAVAILABLE, "this node has too many tokens to check already");
    }
    CompletableFuture<Principal> answer = new CompletableFuture<>();
    underWay.add(answer);
    answer.whenComplete(
        (principal, failure) -> {
          underWay.remove(answer);
          places.release();
        });
    start(by, token, answer, threads);
    return answer;
  }

  private static boolean isJwt(String token) {
    return token.startsWith(JWT_BEGIN) && token.chars().filter(c -> c == '.').count() == 2;
  }

  private static void start(
      TokenCheck by, String token, CompletableFuture<Principal> answer, Executor threads) {
    try {
      threads.execute(() -> check(by, token, answer));
    } catch (RejectedExecutionException closed) {
      answer.completeExceptionally(stopping());
    }
  }

  private static void check(TokenCheck by, String token, CompletableFuture<Principal> answer) {
    try {
      by.check(token)
          .whenComplete(
              (principal, failure) -> {
                if (failure == null) {
                  answer.complete(principal);
                } else {
                  answer.completeExceptionally(Refusals.cause(failure));
                }
              });
    } catch (RuntimeException | Error bug) { // told and counted where the answer is read
      answer.completeExceptionally(bug);
    }
  }

  @Override
  public long failures() {
    return issuer == null ? 0 : issuer.failures();
  }

  private static AuthenticationFailure stopping() {
    return new AuthenticationFailure(Reason.UNAVAILABLE, "this node is stopping");
  }

  @Override
  public void close() {
    threads.shutdownNow();
    underWay.forEach(answer -> answer.completeExceptionally(stopping()));
    for (TokenCheck each : new TokenCheck[] {jwts, others}) {
      if (each != null) {
        each.close();
      }
    }
    if (issuer != null) {
      issuer.close();
    }
  }
}
