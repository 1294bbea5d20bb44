package io.sluice.gateway.auth;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.Arrays;
import java.util.Map;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.lang.JoseException;

/**
 * Key pair for signing tokens.
 *
 * @param name the kid, or null
 */
public record TestKey(String name, String algorithm, KeyPair pair) {

  public static TestKey create(String name, String algorithm) {
    return new TestKey(name, algorithm, pair(algorithm, new SecureRandom()));
  }

  /** Returns the same key pair each time. */
  static TestKey seeded(String name, String algorithm) {
    try {
      SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
      random.setSeed(1);
      return new TestKey(name, algorithm, pair(algorithm, random));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static KeyPair pair(String algorithm, SecureRandom random) {
    return switch (algorithm) {
      case "ES256" -> of("EC", new ECGenParameterSpec("secp256r1"), random);
      case "ES384" -> of("EC", new ECGenParameterSpec("secp384r1"), random);
      case "ES512" -> of("EC", new ECGenParameterSpec("secp521r1"), random);
      case "EdDSA" -> of("EdDSA", NamedParameterSpec.ED25519, random);
      default -> of("RSA", new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F4), random);
    };
  }

  private static KeyPair of(String kind, AlgorithmParameterSpec like, SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
      generator.initialize(like, random);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static KeyPair of(String kind, int bits) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
      if (bits > 0) {
        generator.initialize(bits);
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the JWKS of these keys. */
  public static String jwks(TestKey... keys) {
    return new JsonWebKeySet(Arrays.stream(keys).map(TestKey::jwk).toList())
        .toJson(JsonWebKey.OutputControlLevel.PUBLIC_ONLY);
  }

  PublicJsonWebKey jwk() {
    try {
      PublicJsonWebKey key = PublicJsonWebKey.Factory.newPublicJwk(pair.getPublic());
      key.setKeyId(name);
      return key;
    } catch (JoseException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the claims of a valid token: of alice, from issuer, for sluice, valid for an hour. */
  public static JwtClaims claims() {
    JwtClaims claims = new JwtClaims();
    claims.setIssuer("issuer");
    claims.setAudience("sluice");
    claims.setSubject("alice");
    claims.setJwtId("id-1");
    claims.setIssuedAt(inSeconds(-1));
    claims.setExpirationTime(inSeconds(3600));
    return claims;
  }

  public static NumericDate inSeconds(long seconds) {
    return NumericDate.fromSeconds(System.currentTimeMillis() / 1000 + seconds);
  }

  public String sign(JwtClaims claims) {
    return sign(claims.toJson(), Map.of());
  }

  String sign(String payload) {
    return sign(payload, Map.of());
  }

  /** Signs any text, with further members in the header. */
  String sign(String payload, Map<String, Object> headers) {
    JsonWebSignature jws = new JsonWebSignature();
    jws.setAlgorithmHeaderValue(algorithm);
    if (name != null) {
      jws.setKeyIdHeaderValue(name);
    }
    headers.forEach(jws::setHeader);
    jws.setPayload(payload);
    jws.setKey(pair.getPrivate());
    try {
      return jws.getCompactSerialization();
    } catch (JoseException e) {
      throw new AssertionError(e);
    }
  }
}
