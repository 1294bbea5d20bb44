package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fuzz test of tokens at a node that trusts three keys. The first byte selects the format of the
 * others: the text of a token, changes of a valid one, or header and claims. Each of the latter is
 * a line, signed by a trusted key. Only an unchanged valid token is accepted, or claims that a
 * strict parser finds valid.
 */
public final class TokenFuzz {
  private static final TestKey ED = TestKey.seeded("ed", "EdDSA");
  private static final List<TestKey> KEYS =
      List.of(ED, TestKey.seeded("ec", "ES256"), TestKey.seeded("rsa", "RS256"));

  /** Constant, so that inputs that contain a token stay valid. */
  private static final String CLAIMS =
      "{\"iss\":\"issuer\",\"aud\":\"sluice\",\"sub\":\"alice\",\"iat\":1700000000,\"exp\":4102444800}";

  private static final List<String> RIGHT = KEYS.stream().map(key -> key.sign(CLAIMS)).toList();
  private static final Set<Reason> REASONS =
      Set.of(Reason.MALFORMED, Reason.EXPIRED, Reason.REFUSED);
  private static final int CHANGE_BYTES = 4;
  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final Authentication NODE = open();

  private TokenFuzz() {}

  private static Authentication open() {
    try {
      Path keys = Files.createTempFile("sluice-fuzz", ".json");
      keys.toFile().deleteOnExit();
      Files.writeString(keys, TestKey.jwks(KEYS.toArray(TestKey[]::new)));
      return Answers.open(
          Config.defaults()
              .with(AuthSettings.JWT_KEYS, List.of(keys.toString()))
              .with(AuthSettings.JWT_ISSUER, "issuer")
              .with(AuthSettings.JWT_AUDIENCE, List.of("sluice")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 2) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(input, 1, input.length);
    switch (input[0] & 3) {
      case 0 -> show(new String(rest, UTF_8));
      case 1 -> show(changed(rest));
      default -> sign(rest);
    }
  }

  private static void show(String token) {
    Principal principal = principal(token);
    assertThat(principal != null).as(token).isEqualTo(RIGHT.contains(token));
  }

  /**
   * Applies changes to a valid token. Each is a group of bytes: operation, position (two bytes),
   * character.
   */
  private static String changed(byte[] input) {
    StringBuilder token = new StringBuilder(RIGHT.get((input[0] & 0xFF) % RIGHT.size()));
    for (int at = 1; at + CHANGE_BYTES <= input.length && !token.isEmpty(); at += CHANGE_BYTES) {
      int place = ((input[at + 1] & 0xFF) << 8 | input[at + 2] & 0xFF) % token.length();
      int value = input[at + 3] & 0xFF;
      switch (input[at] & 3) {
        case 0 -> token.setCharAt(place, (char) value);
        case 1 -> token.insert(place, (char) value);
        case 2 -> token.delete(place, Math.min(token.length(), place + 1 + value));
        default -> exchange(token, place % 3, RIGHT.get(value % RIGHT.size()));
      }
    }
    return token.toString();
  }

  /** Replaces a part by that of another token: header, claims or signature. */
  private static void exchange(StringBuilder token, int part, String other) {
    String[] parts = token.toString().split("\\.", -1);
    if (part < parts.length) {
      parts[part] = other.split("\\.")[part];
      token.replace(0, token.length(), String.join(".", parts));
    }
  }

  private static void sign(byte[] input) {
    String text = new String(input, ISO_8859_1);
    int end = text.indexOf('\n');
    if (end >= 0) {
      String header = text.substring(0, end);
      String claims = text.substring(end + 1);
      Principal principal = principal(signed(base64(header) + "." + base64(claims)));
      if (principal != null) {
        assertThat(header).contains("EdDSA");
        checkClaims(read(claims.getBytes(ISO_8859_1)), principal);
      }
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(ISO_8859_1));
  }

  private static String signed(String parts) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(ED.pair().getPrivate());
      signature.update(parts.getBytes(ISO_8859_1));
      byte[] bytes = signature.sign();
      return parts + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode read(byte[] json) {
    try {
      return STRICT.readTree(new String(json, UTF_8));
    } catch (JacksonException e) {
      throw new AssertionError("let in by what is no JSON", e);
    }
  }

  private static void checkClaims(JsonNode claims, Principal principal) {
    double nowSeconds = System.currentTimeMillis() / 1000.0;
    assertThat(claims.path("iss").textValue()).isEqualTo("issuer");
    assertThat(names(claims.path("aud"))).contains("sluice");
    assertThat(claims.path("sub").textValue()).isEqualTo(principal.name()).isNotBlank();
    assertThat(claims.path("jti").asText("")).isEqualTo(principal.tokenId());
    assertThat(claims.path("exp").isNumber()).isTrue();
    assertThat(claims.path("exp").doubleValue()).isGreaterThan(nowSeconds - 1);
    assertThat(claims.path("nbf").asDouble(0)).isLessThan(nowSeconds + 60);
    assertThat(claims.path("iat").asDouble(0)).isLessThan(nowSeconds + 60);
  }

  private static List<String> names(JsonNode audience) {
    return audience.isArray()
        ? audience.valueStream().map(JsonNode::textValue).toList()
        : List.of(String.valueOf(audience.textValue()));
  }

  /** Returns the principal, or null if the token was refused as expected. */
  private static Principal principal(String token) {
    try {
      return Answers.ask(NODE, token).get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof AuthenticationFailure failure)) {
        throw new AssertionError("neither let in nor refused", e.getCause());
      }
      assertThat(failure.reason()).isIn(REASONS);
      assertThat(failure.getMessage()).matches("[ -~]+");
      return null;
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
