package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.auth.AuthOptions.JwtOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;

/**
 * Verifier of JWTs (RFC 7519): checks the signature by public keys, then the claims. For any
 * thread.
 */
final class JwtVerifier implements AutoCloseable {
  private static final Base64.Encoder CANONICAL = Base64.getUrlEncoder().withoutPadding();

  private final KeyRing.Source keys;
  private final Set<String> algorithms;
  private final ClaimRules rules;

  /**
   * @param keys source of the keys; closed with this object
   */
  JwtVerifier(JwtOptions options, KeyRing.Source keys) {
    this.keys = keys;
    this.algorithms = options.algorithms();
    this.rules = options.claims();
  }

  /**
   * Verifies a token. The stage fails with {@link AuthenticationFailure} only.
   *
   * @param threads continue the check after the keys were fetched
   */
  CompletionStage<Principal> check(String token, Executor threads) {
    try {
      JsonWebSignature jws = read(token);
      KeyRing ring = keys.current();
      if (ring == null) {
        return keys.reloaded(null).thenComposeAsync(fresh -> verified(jws, fresh), threads);
      }
      if (isSigned(jws, ring)) {
        return CompletableFuture.completedFuture(principal(jws));
      }
      String name = jws.getKeyIdHeaderValue();
      if (ring.hasKey(name)) {
        throw notSigned();
      }
      return renewed(name, ring).thenComposeAsync(fresh -> verified(jws, fresh), threads);
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // If the keys cannot be fetched, a token with an unknown key id may still be valid. One without a
  // key id is verified by the known keys and refused.
  private CompletionStage<KeyRing> renewed(String name, KeyRing ring) {
    CompletionStage<KeyRing> renewed = keys.reloaded(ring);
    return name != null ? renewed : renewed.exceptionally(unavailable -> ring);
  }

  private JsonWebSignature read(String token) throws AuthenticationFailure {
    JsonWebSignature jws = new JsonWebSignature();
    String algorithm;
    try {
      requireCanonical(token);
      jws.setCompactSerialization(token);
      algorithm = String.valueOf(jws.getAlgorithmHeaderValue());
      jws.getKeyIdHeaderValue();
    } catch (JoseException | RuntimeException e) { // the latter if a header has the wrong type
      throw malformed(e);
    }
    if (!algorithms.contains(algorithm)) {
      throw new AuthenticationFailure(
          Reason.REFUSED, "the token's algorithm is not accepted by this node");
    }
    if (jws.getHeaders().getObjectHeaderValue("crit") != null) {
      throw new AuthenticationFailure(
          Reason.REFUSED,
          "the token has critical headers (crit), which this node does not support");
    }
    return jws;
  }

  /**
   * Requires canonical base64url. RFC 7515 allows one encoding of a part. The library accepts more
   * in the signature, which is not signed itself: spaces inside, or different unused bits at its
   * end.
   */
  private static void requireCanonical(String token) {
    for (String part : token.split("\\.", -1)) {
      String canonical = CANONICAL.encodeToString(Base64.getUrlDecoder().decode(part));
      if (!canonical.equals(part)) {
        throw new IllegalArgumentException("a part is not canonical base64url without padding");
      }
    }
  }

  private CompletionStage<Principal> verified(JsonWebSignature jws, KeyRing ring) {
    try {
      if (!isSigned(jws, ring)) {
        throw notSigned();
      }
      return CompletableFuture.completedFuture(principal(jws));
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean isSigned(JsonWebSignature jws, KeyRing ring) throws AuthenticationFailure {
    try {
      for (JsonWebKey key : ring.candidates(jws)) {
        if (isSignedBy(key, jws)) {
          return true;
        }
      }
      return false;
    } catch (JoseException e) {
      throw malformed(e);
    }
  }

  private static boolean isSignedBy(JsonWebKey key, JsonWebSignature jws) {
    jws.setKey(key.getKey());
    try {
      return jws.verifySignature();
    } catch (JoseException unfit) { // such as a key of another curve
      return false;
    }
  }

  private Principal principal(JsonWebSignature jws) throws AuthenticationFailure {
    Map<String, Object> claims;
    try {
      claims = Json.object(new String(jws.getUnverifiedPayloadBytes(), UTF_8));
    } catch (JoseException | RuntimeException e) {
      throw malformed(e);
    }
    return rules.principal(claims, System.currentTimeMillis());
  }

  private static AuthenticationFailure notSigned() {
    return new AuthenticationFailure(
        Reason.REFUSED, "the token is not signed by a key that this node trusts");
  }

  private static AuthenticationFailure malformed(Exception cause) {
    return new AuthenticationFailure(Reason.MALFORMED, "the token is not a readable JWT", cause);
  }

  @Override
  public void close() {
    keys.close();
  }
}
