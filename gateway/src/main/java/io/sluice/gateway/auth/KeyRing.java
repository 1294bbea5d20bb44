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
 * Public keys by which JWTs are verified. Immutable, for any thread.
 *
 * @param keys with what their owner says of them: names, uses, algorithms
 * @param unusable how many more there were, of no use: secret, short or of an unknown kind
 */
record KeyRing(List<PublicJsonWebKey> keys, int unusable) {
  /** The shortest RSA key that is trusted. */
  static final int LEAST_RSA_BITS = 2048;

  private static final String[] VERIFY = {"verify"};

  /** Where the keys of JWTs come from. For any thread. */
  interface Source extends AutoCloseable {
    /** The keys as they are known now; null if they never were. */
    KeyRing current();

    /**
     * The keys after another look at where they come from, because those of now do not do.
     *
     * @return fails with {@link AuthenticationFailure} if that cannot be had, or not so soon
     */
    CompletionStage<KeyRing> renewed();

    @Override
    void close();
  }

  KeyRing {
    keys = List.copyOf(keys);
  }

  /**
   * Reads a JWKS (RFC 7517). Keys that cannot be used are left out.
   *
   * @throws JoseException if it is none
   */
  static KeyRing ofJwks(String json) throws JoseException {
    Object listed = Json.object(json).get("keys");
    if (!(listed instanceof List<?> all)) {
      throw new JoseException("it has no list of keys");
    }
    List<PublicJsonWebKey> usable = new ArrayList<>();
    for (Object each : all) {
      PublicJsonWebKey key = each instanceof Map<?, ?> members ? key(members) : null;
      if (key != null && key.getPublicKey() != null && isLong(key)) {
        usable.add(key);
      }
    }
    return new KeyRing(usable, all.size() - usable.size());
  }

  /** Null if it is of no use. */
  private static PublicJsonWebKey key(Map<?, ?> members) {
    Map<String, Object> named = new HashMap<>();
    members.forEach((name, value) -> named.put((String) name, value));
    try {
      return JsonWebKey.Factory.newJwk(named) instanceof PublicJsonWebKey key ? key : null;
    } catch (JoseException | RuntimeException unusable) { // the latter where a member is strange
      return null;
    }
  }

  /** Whether a key is not so short that it could be broken. */
  static boolean isLong(PublicJsonWebKey key) {
    return !(key.getPublicKey() instanceof RSAKey rsa)
        || rsa.getModulus().bitLength() >= LEAST_RSA_BITS;
  }

  /** Whether one of the keys has this name; those without a name may be anybody's. */
  boolean knows(String name) {
    return name != null && keys.stream().anyMatch(key -> name.equals(key.getKeyId()));
  }

  /**
   * The keys that may have signed this: of the name that it gives or of none, of the kind that its
   * algorithm takes, and not said to be for anything else.
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
