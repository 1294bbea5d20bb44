package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.auth.AuthOptions.IntrospectionOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.IssuerClient.UnusableAnswer;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jose4j.lang.JoseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the issuer about each token (RFC 7662), once for all who show the same, and keeps the answer
 * for a while. For any thread but event loops.
 */
final class Introspection implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Introspection.class);

  /** Largest number of answers of each kind that are cached. */
  private static final int CACHE_ENTRIES = 10_000;

  private final IssuerClient issuer;
  private final URI url;
  private final String authorization;
  private final int mostInFlight;
  private final ClaimRules rules;
  private final long cacheMs;
  private final long cacheRefusedMs;
  private volatile boolean failing;

  // All guarded by this. Tokens themselves are not kept.
  private final Map<ByteBuffer, CompletableFuture<Principal>> inFlight = new HashMap<>();
  private final ExpiringCache<ByteBuffer, Principal> valid;
  private final ExpiringCache<ByteBuffer, AuthenticationFailure> refused;

  Introspection(IntrospectionOptions options, IssuerClient issuer) {
    this.issuer = issuer;
    this.url = URI.create(options.url());
    this.authorization = basic(options.clientId(), options.clientSecret());
    this.mostInFlight = options.mostInFlight();
    this.rules = options.claims();
    this.cacheMs = options.cache().toMillis();
    this.cacheRefusedMs = options.cacheRefused().toMillis();
    // Apart, so that a flood of bad tokens does not push out the good ones.
    this.valid = new ExpiringCache<>(CACHE_ENTRIES);
    this.refused = new ExpiringCache<>(CACHE_ENTRIES);
  }

  /** Both parts are encoded as in a form: RFC 6749, section 2.3.1. */
  private static String basic(String id, String secret) {
    String both = URLEncoder.encode(id, UTF_8) + ":" + URLEncoder.encode(secret, UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8));
  }

  /** Fails with {@link AuthenticationFailure} only. */
  CompletionStage<Principal> check(String token) {
    ByteBuffer digest = digest(token);
    CompletableFuture<Principal> mine = new CompletableFuture<>();
    synchronized (this) {
      CompletionStage<Principal> known = known(digest);
      if (known != null) {
        return known;
      }
      if (inFlight.size() >= mostInFlight) {
        return AuthenticationFailure.stage(
            Reason.UNAVAILABLE, "this node asks the issuer about too many tokens already");
      }
      inFlight.put(digest, mine);
    }
    issuer
        .post(url, authorization, "token=" + URLEncoder.encode(token, UTF_8))
        .thenCompose(this::judged)
        .whenComplete((principal, failure) -> onJudged(digest, mine, principal, failure));
    return mine;
  }

  private CompletionStage<Principal> known(ByteBuffer digest) {
    long nowMs = System.currentTimeMillis();
    Principal principal = valid.get(digest, nowMs);
    if (principal != null) {
      return CompletableFuture.completedFuture(principal);
    }
    AuthenticationFailure failure = refused.get(digest, nowMs);
    return failure == null ? inFlight.get(digest) : CompletableFuture.failedFuture(failure);
  }

  CompletionStage<Principal> judged(String json) {
    try {
      Map<String, Object> claims = Json.object(json);
      if (!(claims.get("active") instanceof Boolean active)) {
        throw new UnusableAnswer(url + " does not say whether the token is active", null);
      }
      return active
          ? CompletableFuture.completedFuture(rules.principal(claims, System.currentTimeMillis()))
          : AuthenticationFailure.stage(
              Reason.REFUSED, "the issuer says that the token is not valid");
    } catch (JoseException e) {
      throw new UnusableAnswer(url + " answers with no JSON object", e);
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void onJudged(
      ByteBuffer digest, CompletableFuture<Principal> asked, Principal principal, Throwable error) {
    AuthenticationFailure failure =
        error == null ? null : failure(AuthenticationFailure.unwrapped(error));
    long nowMs = System.currentTimeMillis();
    synchronized (this) {
      inFlight.remove(digest);
      if (failure == null) {
        valid.put(digest, principal, Math.min(nowMs + cacheMs, principal.expiresMs()));
      } else if (failure.reason() != Reason.UNAVAILABLE) {
        refused.put(digest, failure, nowMs + Math.min(cacheMs, cacheRefusedMs));
      }
    }
    if (failure == null) {
      failing = false;
      asked.complete(principal);
    } else {
      asked.completeExceptionally(failure);
    }
  }

  private AuthenticationFailure failure(Throwable cause) {
    if (cause instanceof AuthenticationFailure failure) {
      failing = false;
      return failure;
    }
    issuer.failed();
    if (!failing) { // a storm of clients while it is away would fill the log
      failing = true;
      log.atError().addKeyValue("problem", cause.getMessage()).log("auth.introspection-failed");
    }
    return new AuthenticationFailure(
        Reason.UNAVAILABLE, "this node could not ask the issuer about the token", cause);
  }

  private static ByteBuffer digest(String token) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
      return ByteBuffer.wrap(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /** What fails from now on does so for that. The client for HTTP is its opener's to close. */
  @Override
  public void close() {
    failing = true;
  }
}
