package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.auth.AuthOptions.IntrospectionOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.IssuerClient.UnusableAnswer;
import io.sluice.gateway.limits.Shares;
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
 * Token introspection at the issuer (RFC 7662) with a cache. Concurrent checks of one token share a
 * request. For any thread except event loops.
 */
final class Introspection implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Introspection.class);

  /** Largest number of answers of each kind that are cached. */
  private static final int CACHE_ENTRIES = 10_000;

  private final IssuerClient issuer;
  private final URI url;
  private final String authorization;
  private final ClaimRules rules;
  private final long cacheMs;
  private final long cacheRefusedMs;
  private final Shares shares;
  private final IntrospectionBackoff backoff = new IntrospectionBackoff();
  private volatile boolean failing;

  // All guarded by this. Keys are digests: tokens are not stored.
  private final Map<ByteBuffer, CompletableFuture<Principal>> inFlight = new HashMap<>();
  private final ExpiringCache<ByteBuffer, Principal> valid;
  private final ExpiringCache<ByteBuffer, AuthenticationFailure> refused;

  Introspection(IntrospectionOptions options, IssuerClient issuer) {
    this.issuer = issuer;
    this.url = URI.create(options.url());
    this.authorization = basic(options.clientId(), options.clientSecret());
    this.shares = new Shares(options.maxInFlight());
    this.rules = options.claims();
    this.cacheMs = options.cache().toMillis();
    this.cacheRefusedMs = options.cacheRefused().toMillis();
    // Separate caches: a flood of invalid tokens must not evict the valid ones.
    this.valid = new ExpiringCache<>(CACHE_ENTRIES);
    this.refused = new ExpiringCache<>(CACHE_ENTRIES);
  }

  /**
   * Returns the Basic authorization header; both parts are form-encoded (RFC 6749, section 2.3.1).
   */
  private static String basic(String id, String secret) {
    String both = URLEncoder.encode(id, UTF_8) + ":" + URLEncoder.encode(secret, UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8));
  }

  /**
   * Checks a token. The stage fails with {@link AuthenticationFailure} only.
   *
   * @param address name of the sender's address, which has a share of the requests in flight
   */
  CompletionStage<Principal> check(String token, String address) {
    ByteBuffer digest = digest(token);
    CompletableFuture<Principal> pending = new CompletableFuture<>();
    synchronized (this) {
      CompletionStage<Principal> cached = cached(digest);
      if (cached != null) {
        return cached;
      }
      String wait = backoff.problem(address, System.currentTimeMillis());
      if (wait != null) {
        return AuthenticationFailure.stage(Reason.UNAVAILABLE, wait);
      }
      if (!shares.take(address, 1)) {
        return AuthenticationFailure.stage(
            Reason.UNAVAILABLE,
            "too many introspection requests are in flight on this node, or of this address");
      }
      inFlight.put(digest, pending);
    }
    issuer
        .post(url, authorization, "token=" + URLEncoder.encode(token, UTF_8))
        .thenCompose(this::evaluated)
        .whenComplete(
            (principal, failure) -> onEvaluated(digest, address, pending, principal, failure));
    return pending;
  }

  private CompletionStage<Principal> cached(ByteBuffer digest) {
    long nowMs = System.currentTimeMillis();
    Principal principal = valid.get(digest, nowMs);
    if (principal != null) {
      return CompletableFuture.completedFuture(principal);
    }
    AuthenticationFailure failure = refused.get(digest, nowMs);
    return failure == null ? inFlight.get(digest) : CompletableFuture.failedFuture(failure);
  }

  CompletionStage<Principal> evaluated(String json) {
    try {
      Map<String, Object> claims = Json.object(json);
      if (!(claims.get("active") instanceof Boolean active)) {
        throw new UnusableAnswer(url + " returns no boolean \"active\"", null);
      }
      return active
          ? CompletableFuture.completedFuture(rules.principal(claims, System.currentTimeMillis()))
          : AuthenticationFailure.stage(
              Reason.REFUSED, "the issuer says that the token is not valid");
    } catch (JoseException e) {
      throw new UnusableAnswer(url + " does not return a JSON object", e);
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void onEvaluated(
      ByteBuffer digest,
      String address,
      CompletableFuture<Principal> pending,
      Principal principal,
      Throwable error) {
    AuthenticationFailure failure =
        error == null ? null : failure(AuthenticationFailure.unwrapped(error));
    long nowMs = System.currentTimeMillis();
    synchronized (this) {
      inFlight.remove(digest);
      shares.release(address, 1);
      backoff.onResult(address, failure, nowMs);
      if (failure == null) {
        valid.put(digest, principal, Math.min(nowMs + cacheMs, principal.expiresMs()));
      } else if (failure.reason() != Reason.UNAVAILABLE) {
        refused.put(digest, failure, nowMs + Math.min(cacheMs, cacheRefusedMs));
      }
    }
    if (failure == null) {
      failing = false;
      pending.complete(principal);
    } else {
      pending.completeExceptionally(failure);
    }
  }

  private AuthenticationFailure failure(Throwable cause) {
    if (cause instanceof AuthenticationFailure failure) {
      failing = false;
      return failure;
    }
    issuer.onFailure();
    if (!failing) { // logged once: a reconnect storm during an outage would fill the log
      failing = true;
      log.atError().addKeyValue("problem", cause.getMessage()).log("auth.introspection-failed");
    }
    return new AuthenticationFailure(
        Reason.UNAVAILABLE, "the token could not be introspected at the issuer", cause);
  }

  private static ByteBuffer digest(String token) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
      return ByteBuffer.wrap(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /**
   * Suppresses the log of requests that fail from now on. The HTTP client is closed by its owner.
   */
  @Override
  public void close() {
    failing = true;
  }
}
