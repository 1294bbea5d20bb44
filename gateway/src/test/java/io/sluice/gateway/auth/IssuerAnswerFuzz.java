package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.gateway.auth.IssuerClient.UnusableAnswer;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.net.URI;
import java.security.interfaces.RSAKey;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;

/**
 * Fuzz test of an issuer's responses: introspection, keys or discovery. A response is usable or
 * unusable, without any other exception. A strict parser confirms the accepted values.
 */
public final class IssuerAnswerFuzz {
  private static final String ISSUER = "https://id.example/";
  private static final Introspection INTROSPECTION =
      new Introspection(
          AuthOptions.of(
                  Config.defaults()
                      .with(AuthSettings.INTROSPECTION_URL, "https://id.example/introspect")
                      .with(AuthSettings.JWT_ISSUER, ISSUER)
                      .with(AuthSettings.JWT_AUDIENCE, List.of("sluice")))
              .introspection(),
          null);
  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private IssuerAnswerFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    String text = new String(input, 1, input.length - 1, UTF_8);
    switch (input[0] & 3) {
      case 0 -> introspect(text);
      case 1 -> discover(text);
      default -> readKeys(text);
    }
  }

  private static void introspect(String text) {
    Principal principal;
    try {
      principal = INTROSPECTION.evaluated(text).toCompletableFuture().join();
    } catch (UnusableAnswer unusable) {
      return;
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(AuthenticationFailure.class);
      return;
    }
    JsonNode answer = read(text);
    assertThat(answer.path("active").isBoolean()).isTrue();
    assertThat(answer.path("active").booleanValue()).isTrue();
    assertThat(answer.path("sub").textValue()).isEqualTo(principal.name()).isNotBlank();
    assertThat(answer.path("iss").asText(ISSUER)).isEqualTo(ISSUER);
    assertThat(answer.path("exp").asDouble(Double.MAX_VALUE))
        .isGreaterThan(System.currentTimeMillis() / 1000.0 - 1);
  }

  private static void discover(String text) {
    URI found;
    try {
      found = IssuerMetadata.read(text, ISSUER, false).jwks();
    } catch (UnusableAnswer unusable) {
      return;
    }
    assertThat(found.getHost()).isNotNull();
    assertThat(found.getScheme().equalsIgnoreCase("https") || isLoopback(found)).isTrue();
    assertThat(read(text).path("issuer").textValue()).isEqualTo(ISSUER);
    assertThat(read(text).path("jwks_uri").textValue()).isEqualTo(found.toString());
  }

  private static boolean isLoopback(URI found) {
    return List.of("localhost", "127.0.0.1", "[::1]").contains(found.getHost());
  }

  private static void readKeys(String text) {
    try {
      KeyRing ring = KeyRing.ofJwks(text);
      assertThat(ring.unusable()).isNotNegative();
      // Null counts as absent.
      assertThat(read(text).path("keys").valueStream().filter(key -> !key.isNull()))
          .hasSize(ring.keys().size() + ring.unusable());
      ring.keys().forEach(IssuerAnswerFuzz::checkKey);
      for (String algorithm : List.of("RS256", "ES256", "EdDSA")) {
        JsonWebSignature jws = new JsonWebSignature();
        jws.setAlgorithmHeaderValue(algorithm);
        jws.setKeyIdHeaderValue("k");
        assertThat(ring.candidates(jws)).allMatch(ring.keys()::contains);
      }
    } catch (JoseException unusable) {
      assertThat(unusable).hasMessageNotContaining("\n");
    }
  }

  private static void checkKey(PublicJsonWebKey key) {
    assertThat(key.getPublicKey()).isNotNull();
    if (key.getPublicKey() instanceof RSAKey rsa) {
      assertThat(rsa.getModulus().bitLength()).isGreaterThanOrEqualTo(KeyRing.MIN_RSA_BITS);
    }
  }

  private static JsonNode read(String json) {
    try {
      return STRICT.readTree(json);
    } catch (JacksonException e) {
      throw new AssertionError("believed what is no JSON", e);
    }
  }
}
