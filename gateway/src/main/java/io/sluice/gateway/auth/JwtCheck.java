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
 * Verifies JWTs (RFC 7519) by public keys: first by whom a token is signed, then what it says. For
 * any thread.
 */
final class JwtCheck implements AutoCloseable {
  private static final Base64.Encoder PLAIN = Base64.getUrlEncoder().withoutPadding();

  private final KeyRing.Source keys;
  private final Executor threads;
  private final Set<String> algorithms;
  private final ClaimRules rules;

  /**
   * @param keys closed with this
   * @param threads continue after the keys had to be waited for
   */
  JwtCheck(JwtOptions options, KeyRing.Source keys, Executor threads) {
    this.keys = keys;
    this.threads = threads;
    this.algorithms = options.algorithms();
    this.rules = options.claims();
  }

  /** Fails with {@link AuthenticationFailure} only. */
  CompletionStage<Principal> check(String token) {
    try {
      JsonWebSignature jws = read(token);
      KeyRing ring = keys.current();
      if (ring == null) {
        return keys.renewed().thenComposeAsync(fresh -> verified(jws, fresh), threads);
      }
      if (isSigned(jws, ring)) {
        return CompletableFuture.completedFuture(principal(jws));
      }
      String name = jws.getKeyIdHeaderValue();
      if (ring.knows(name)) {
        throw notSigned();
      }
      return renewed(name, ring).thenComposeAsync(fresh -> verified(jws, fresh), threads);
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // A token that names a key which nobody could be asked about may still be right. One that names
  // none is not, as far as anybody knows.
  private CompletionStage<KeyRing> renewed(String name, KeyRing ring) {
    CompletionStage<KeyRing> renewed = keys.renewed();
    return name != null ? renewed : renewed.exceptionally(unasked -> ring);
  }

  private JsonWebSignature read(String token) throws AuthenticationFailure {
    JsonWebSignature jws = new JsonWebSignature();
    String algorithm;
    try {
      requirePlain(token);
      jws.setCompactSerialization(token);
      algorithm = String.valueOf(jws.getAlgorithmHeaderValue());
      jws.getKeyIdHeaderValue();
    } catch (JoseException | RuntimeException e) { // the latter where a header is of another kind
      throw malformed(e);
    }
    if (!algorithms.contains(algorithm)) {
      throw new AuthenticationFailure(
          Reason.REFUSED, "the token is signed by an algorithm that this node does not take");
    }
    if (jws.getHeaders().getObjectHeaderValue("crit") != null) {
      throw new AuthenticationFailure(
          Reason.REFUSED, "the token has critical headers, which this node does not know");
    }
    return jws;
  }

  /**
   * RFC 7515 leaves one way to write a part. The library takes more, for a signature is no part of
   * what is signed: with blanks inside, or other bits behind its end.
   */
  private static void requirePlain(String token) {
    for (String part : token.split("\\.", -1)) {
      String plain = PLAIN.encodeToString(Base64.getUrlDecoder().decode(part));
      if (!plain.equals(part)) {
        throw new IllegalArgumentException("a part is not written as base64url without padding");
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
