package io.sluice.gateway.auth;

import static io.sluice.gateway.auth.TestKey.claims;
import static io.sluice.gateway.auth.TestKey.inSeconds;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JwtVerifierTest {
  private static final TestKey RSA = TestKey.create("rsa", "RS256");
  private static final TestKey EC = TestKey.create("ec", "ES256");
  private static final TestKey STRANGER = TestKey.create("rsa", "RS256");

  @TempDir private static Path folder;

  private static Config config;
  private static Authentication node;

  @BeforeAll
  static void open() throws IOException {
    Path keys = Files.writeString(folder.resolve("keys.json"), TestKey.jwks(RSA, EC));
    config =
        Config.defaults()
            .with(AuthSettings.JWT_KEYS, List.of(keys.toString()))
            .with(AuthSettings.JWT_ISSUER, "issuer")
            .with(AuthSettings.JWT_AUDIENCE, List.of("other", "sluice"));
    node = Answers.open(config);
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @Test
  void shouldReturnThePrincipalOfTheToken() {
    JwtClaims claims = claims();
    claims.setClaim("roles", Arrays.asList("a", null, "b"));
    claims.setClaim("tenant", Map.of("id", 7));
    claims.setClaim("none", null);

    Principal alice = Answers.accepted(node, RSA.sign(claims));

    assertThat(alice.name()).isEqualTo("alice");
    assertThat(alice.mechanism()).isEqualTo(Principal.Mechanism.JWT);
    assertThat(alice.tokenId()).isEqualTo("id-1");
    assertThat(alice.issuedMs()).isPositive().isLessThan(System.currentTimeMillis());
    assertThat(alice.expiresMs() - alice.issuedMs()).isEqualTo(3_601_000);
    assertThat(alice.claims())
        .containsEntry("roles", List.of("a", "b"))
        .containsEntry("tenant", Map.of("id", 7L))
        .doesNotContainKey("none");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
      })
  void shouldAcceptEveryAsymmetricAlgorithm(String algorithm) throws IOException {
    // It takes a second to generate a pair for RSA.
    TestKey key =
        algorithm.matches("[RP]S.*")
            ? new TestKey("k", algorithm, RSA.pair())
            : TestKey.create("k", algorithm);
    Path file = Files.writeString(folder.resolve(algorithm), TestKey.jwks(key));
    Config own = config.with(AuthSettings.JWT_KEYS, List.of(file.toString()));

    try (Authentication authentication = Answers.open(own)) {
      assertThat(Answers.accepted(authentication, key.sign(claims())).name()).isEqualTo("alice");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrongTokens")
  void shouldRefuse(String what, String token, Reason reason, String message) {
    AuthenticationFailure failure = Answers.refused(node, token);

    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure).hasMessageContaining(message);
    assertThat(failure.getMessage()).doesNotContain("alice", "mallory");
  }

  static Stream<Arguments> wrongTokens() {
    String right = RSA.sign(claims());
    String[] parts = right.split("\\.");
    return Stream.of(
        wrong("expired", c -> c.setExpirationTime(inSeconds(-1)), Reason.EXPIRED, "expired"),
        wrong("without end", c -> c.unsetClaim("exp"), Reason.REFUSED, "exp"),
        wrong("not yet", c -> c.setNotBefore(inSeconds(60)), Reason.REFUSED, "nbf"),
        wrong("of tomorrow", c -> c.setIssuedAt(inSeconds(60)), Reason.REFUSED, "iat"),
        wrong("other issuer", c -> c.setIssuer("mallory"), Reason.REFUSED, "issuer"),
        wrong("issuer in other case", c -> c.setIssuer("Issuer"), Reason.REFUSED, "issuer"),
        wrong("no issuer", c -> c.unsetClaim("iss"), Reason.REFUSED, "issuer"),
        wrong("other audience", c -> c.setAudience("mallory"), Reason.REFUSED, "audience"),
        wrong("no audience", c -> c.unsetClaim("aud"), Reason.REFUSED, "audience"),
        wrong("audience as map", c -> c.setClaim("aud", Map.of()), Reason.REFUSED, "audience"),
        wrong("no subject", c -> c.unsetClaim("sub"), Reason.REFUSED, "(sub)"),
        wrong("blank subject", c -> c.setSubject(" "), Reason.REFUSED, "(sub)"),
        wrong("number as subject", c -> c.setClaim("sub", 7), Reason.REFUSED, "(sub)"),
        wrong("text as end", c -> c.setClaim("exp", "later"), Reason.MALFORMED, "exp"),
        wrong("number as id", c -> c.setClaim("jti", 7), Reason.MALFORMED, "jti"),
        Arguments.of("a stranger's key", STRANGER.sign(claims()), Reason.REFUSED, "trusts"),
        Arguments.of(
            "unknown kid",
            new TestKey("new", "RS256", RSA.pair()).sign(claims()),
            Reason.REFUSED,
            "trusts"),
        Arguments.of(
            "kid of a key of another kind",
            new TestKey("ec", "RS256", RSA.pair()).sign(claims()),
            Reason.REFUSED,
            "trusts"),
        Arguments.of(
            "tampered claims",
            parts[0] + "." + part(claimsOf("mallory").toJson()) + "." + parts[2],
            Reason.REFUSED,
            "trusts"),
        Arguments.of(
            "tampered header",
            part("{\"alg\":\"RS512\",\"kid\":\"rsa\"}") + "." + parts[1] + "." + parts[2],
            Reason.REFUSED,
            "trusts"),
        Arguments.of(
            "truncated", right.substring(0, right.length() - 10), Reason.REFUSED, "trusts"),
        // The signature would be the same.
        Arguments.of("padded", right + "==", Reason.MALFORMED, "readable"),
        Arguments.of("broken into lines", lines(right), Reason.MALFORMED, "readable"),
        Arguments.of("other bits at the end", otherEnd(right), Reason.MALFORMED, "readable"),
        Arguments.of("no signature", parts[0] + "." + parts[1] + ".", Reason.REFUSED, "trusts"),
        Arguments.of("two parts", parts[0] + "." + parts[1], Reason.MALFORMED, "readable"),
        Arguments.of("encrypted", right + ".a.b", Reason.MALFORMED, "readable"),
        Arguments.of("dots", "..", Reason.MALFORMED, "readable"),
        Arguments.of("empty", "", Reason.MALFORMED, "empty"),
        Arguments.of("none at all", "hello", Reason.MALFORMED, "readable"),
        Arguments.of(
            "alg none",
            part("{\"alg\":\"none\"}") + "." + parts[1] + ".",
            Reason.REFUSED,
            "algorithm"),
        Arguments.of(
            "no alg", part("{}") + "." + parts[1] + "." + parts[2], Reason.REFUSED, "algorithm"),
        Arguments.of(
            "number as kid",
            part("{\"alg\":\"RS256\",\"kid\":7}") + "." + parts[1] + "." + parts[2],
            Reason.MALFORMED,
            "readable"),
        Arguments.of(
            "header twice",
            part("{\"alg\":\"none\",\"alg\":\"RS256\"}") + "." + parts[1] + "." + parts[2],
            Reason.MALFORMED,
            "readable"),
        Arguments.of("HMAC with the public key", hmac(), Reason.REFUSED, "algorithm"),
        Arguments.of(
            "critical header",
            RSA.sign(claims().toJson(), Map.of("crit", List.of("exp"), "exp", 1)),
            Reason.REFUSED,
            "critical"),
        Arguments.of(
            "claim twice",
            RSA.sign("{\"sub\":\"a\",\"sub\":\"b\"}", Map.of()),
            Reason.MALFORMED,
            "readable"),
        Arguments.of("no JSON", RSA.sign("hello", Map.of()), Reason.MALFORMED, "readable"),
        Arguments.of("a list", RSA.sign("[1]", Map.of()), Reason.MALFORMED, "readable"),
        Arguments.of(
            "nested claims",
            RSA.sign("{\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}", Map.of()),
            Reason.MALFORMED,
            "readable"),
        Arguments.of(
            "nested header",
            part("{\"alg\":" + "{\"a\":".repeat(1500)) + "." + parts[1] + "." + parts[2],
            Reason.MALFORMED,
            "readable"),
        Arguments.of("80 KiB", "a".repeat(80 * 1024), Reason.MALFORMED, "longer than 65536"));
  }

  private static Arguments wrong(
      String what, Consumer<JwtClaims> change, Reason reason, String message) {
    JwtClaims claims = claims();
    change.accept(claims);
    return Arguments.of(what, RSA.sign(claims), reason, message);
  }

  private static String lines(String token) {
    int middle = token.length() - 20;
    return token.substring(0, middle) + "\r\n " + token.substring(middle);
  }

  /**
   * 256 bytes have 341 characters and two bits: the other four bits of the last character are
   * unused.
   */
  private static String otherEnd(String token) {
    int last = token.length() - 1;
    return token.substring(0, last) + (char) (token.charAt(last) + 1);
  }

  private static JwtClaims claimsOf(String name) {
    JwtClaims claims = TestKey.claims();
    claims.setSubject(name);
    return claims;
  }

  private static String part(String json) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
  }

  private static String hmac() {
    JsonWebSignature jws = new JsonWebSignature();
    jws.setAlgorithmHeaderValue("HS256");
    jws.setKeyIdHeaderValue("rsa");
    jws.setPayload(claims().toJson());
    jws.setKey(new HmacKey(RSA.pair().getPublic().getEncoded()));
    try {
      return jws.getCompactSerialization();
    } catch (JoseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldCheckTokensUpToTheSizeLimit() {
    String longest = "a".repeat(64 * 1024);
    assertThat(Answers.refused(node, longest)).hasMessageNotContaining("longer");
    assertThat(Answers.refused(node, longest + "a"))
        .hasMessage("the token is longer than 65536 bytes");
  }

  @Test
  void shouldTolerateClockSkewOfTheIssuer() {
    JwtClaims claims = claims();
    claims.setIssuedAt(inSeconds(20));
    claims.setNotBefore(inSeconds(20));
    String token = RSA.sign(claims);

    assertThat(Answers.accepted(node, token).name()).isEqualTo("alice");
    claims.setNotBefore(inSeconds(60));
    assertThat(Answers.reason(node, RSA.sign(claims))).isEqualTo(Reason.REFUSED);
  }

  @Test
  void shouldAcceptTokensWithoutExpiryIfConfigured() {
    JwtClaims claims = claims();
    claims.unsetClaim("exp");
    Config lax = config.with(AuthSettings.JWT_REQUIRE_EXPIRY, false);
    try (Authentication authentication = Answers.open(lax)) {
      assertThat(Answers.accepted(authentication, RSA.sign(claims)).expiresMs())
          .isEqualTo(Principal.NEVER);
    }
  }

  @Test
  void shouldAcceptAnExpiryBeyondTheLargestDate() {
    JwtClaims claims = claims();
    claims.setClaim("exp", 1e300);
    assertThat(Answers.accepted(node, RSA.sign(claims)).expiresMs()).isEqualTo(Principal.NEVER - 1);
  }

  @Test
  void shouldReadTheNameFromTheConfiguredClaim() {
    JwtClaims claims = claims();
    claims.setClaim("email", "a@example.com");
    Config named = config.with(AuthSettings.JWT_SUBJECT_CLAIM, "email");
    try (Authentication authentication = Answers.open(named)) {
      assertThat(Answers.accepted(authentication, RSA.sign(claims)).name())
          .isEqualTo("a@example.com");
    }
  }

  @Test
  void shouldAcceptOnlyTheConfiguredAlgorithms() {
    Config fewer = config.with(AuthSettings.JWT_ALGORITHMS, List.of("ES256"));
    try (Authentication authentication = Answers.open(fewer)) {
      assertThat(Answers.accepted(authentication, EC.sign(claims())).name()).isEqualTo("alice");
      assertThat(Answers.reason(authentication, RSA.sign(claims()))).isEqualTo(Reason.REFUSED);
    }
  }

  @Test
  void shouldNotUseAKeyForAnotherAlgorithmThanDeclared() throws IOException {
    String jwks = TestKey.jwks(RSA).replace("\"kid\"", "\"alg\":\"PS256\",\"kid\"");
    Path file = Files.writeString(folder.resolve("ps-only"), jwks);
    Config own = config.with(AuthSettings.JWT_KEYS, List.of(file.toString()));
    try (Authentication authentication = Answers.open(own)) {
      assertThat(Answers.reason(authentication, RSA.sign(claims()))).isEqualTo(Reason.REFUSED);
      TestKey meant = new TestKey("rsa", "PS256", RSA.pair());
      assertThat(Answers.accepted(authentication, meant.sign(claims())).name()).isEqualTo("alice");
    }
  }

  @Test
  void shouldFailPendingChecksWhenItStops() {
    Authentication authentication = Answers.open(config);
    authentication.close();
    assertThat(Answers.refused(authentication, RSA.sign(claims())))
        .hasMessage("this node is stopping");
  }
}
