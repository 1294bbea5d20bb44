package io.sluice.gateway.auth;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
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
 * A key pair with which a test signs.
 *
 * @param name the kid, or null
 */
public record TestKey(String name, String algorithm, KeyPair pair) {

  public static TestKey create(String name, String algorithm) {
    return new TestKey(name, algorithm, pair(algorithm));
  }

  private static KeyPair pair(String algorithm) {
    return switch (algorithm) {
      case "ES256" -> ec("secp256r1");
      case "ES384" -> ec("secp384r1");
      case "ES512" -> ec("secp521r1");
      case "EdDSA" -> of("Ed25519", 0);
      default -> of("RSA", 2048);
    };
  }

  private static KeyPair ec(String curve) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(curve));
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

  /** What an issuer publishes of these keys. */
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

  /** Claims of a token that is right: of alice, from issuer, for sluice, an hour long. */
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
