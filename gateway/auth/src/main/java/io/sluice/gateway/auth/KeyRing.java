package io.sluice.gateway.auth;

import java.security.interfaces.RSAKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.SimpleJwkFilter;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;

/**
 * Public keys that verify JWTs. Immutable, for any thread.
 *
 * @param keys with the id, use and algorithm that their owner declares
 * @param unusable number of discarded keys: secret, too short or of an unknown type
 */
record KeyRing(List<PublicJsonWebKey> keys, int unusable) {
  /** Minimum length of a trusted RSA key. */
  static final int MIN_RSA_BITS = 2048;

  private static final String[] VERIFY = {"verify"};

  /** Source of the keys. For any thread. */
  interface Source extends AutoCloseable {
    /** Returns the current keys; null if none were loaded yet. */
    KeyRing current();

    /**
     * Reloads the keys, because none of the known ones verifies a token.
     *
     * @param known keys that were current; if others are current by now, these are returned; null:
     *     none were loaded
     * @return fails with {@link AuthenticationFailure} if the keys cannot be loaded, or not again
     *     so soon
     */
    CompletionStage<KeyRing> reloaded(KeyRing known);

    @Override
    void close();
  }

  KeyRing {
    keys = List.copyOf(keys);
  }

  /**
   * Reads a JWKS (RFC 7517). Unusable keys are discarded.
   *
   * @throws JoseException if it is not a JWKS
   */
  static KeyRing ofJwks(String json) throws JoseException {
    Object listed = Json.object(json).get("keys");
    if (!(listed instanceof List<?> all)) {
      throw new JoseException("it has no \"keys\" array");
    }
    List<PublicJsonWebKey> usable = new ArrayList<>();
    for (Object each : all) {
      PublicJsonWebKey key = each instanceof Map<?, ?> members ? key(members) : null;
      if (key != null && key.getPublicKey() != null && isLongEnough(key)) {
        usable.add(key);
      }
    }
    return new KeyRing(usable, all.size() - usable.size());
  }

  /** Returns the key, or null if it is unusable. */
  private static PublicJsonWebKey key(Map<?, ?> members) {
    Map<String, Object> named = new HashMap<>();
    members.forEach((name, value) -> named.put((String) name, value));
    try {
      return JsonWebKey.Factory.newJwk(named) instanceof PublicJsonWebKey key ? key : null;
    } catch (JoseException
        | RuntimeException unusable) { // the latter if a member has the wrong type
      return null;
    }
  }

  /** Returns whether a key is long enough to be trusted. */
  static boolean isLongEnough(PublicJsonWebKey key) {
    return !(key.getPublicKey() instanceof RSAKey rsa)
        || rsa.getModulus().bitLength() >= MIN_RSA_BITS;
  }

  /** Returns whether one of the keys has this id. */
  boolean hasKey(String name) {
    return name != null && keys.stream().anyMatch(key -> name.equals(key.getKeyId()));
  }

  /**
   * Returns the keys that may have signed this. Their id matches or is absent, their type fits the
   * algorithm, and no declared use excludes verification.
   */
  List<JsonWebKey> candidates(JsonWebSignature jws) throws JoseException {
    SimpleJwkFilter filter = new SimpleJwkFilter();
    filter.setKty(jws.getKeyType());
    filter.setAlg(jws.getAlgorithmHeaderValue(), SimpleJwkFilter.OMITTED_OKAY);
    filter.setUse("sig", SimpleJwkFilter.OMITTED_OKAY);
    filter.setKeyOperations(VERIFY, SimpleJwkFilter.OMITTED_OKAY);
    if (jws.getKeyIdHeaderValue() != null) {
      filter.setKid(jws.getKeyIdHeaderValue(), SimpleJwkFilter.OMITTED_OKAY);
    }
    return filter.filter(List.<JsonWebKey>copyOf(keys));
  }
}
