package io.sluice.gateway.admin.login;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.revocation.RevocationOptions;
import io.sluice.gateway.revocation.Revocations;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens of operators, whose keys a real HTTP server publishes. */
@Timeout(180)
final class OidcLoginTest {
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private final TestIssuer issuer = TestIssuer.start();
  private OidcLogin login;

  @BeforeEach
  void open() throws UnusableAuth {
    issuer.publish(KEY);
    login = open(config());
  }

  @AfterEach
  void close() {
    login.close();
    issuer.close();
  }

  private Config config() {
    return Config.defaults()
        .with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMillis(1))
        .with(AdminSettings.OIDC_ISSUER, issuer.url())
        .with(AdminSettings.OIDC_CLIENT_ID, "sluice")
        .with(AdminSettings.OIDC_ROLES, List.of("operator", "sre"));
  }

  private static OidcLogin open(Config config) throws UnusableAuth {
    Revocations revocations = Revocations.of(RevocationOptions.of(config));
    return OidcLogin.open(OidcOptions.of(config), revocations).orElseThrow();
  }

  private void reopen(Config config) throws UnusableAuth {
    login.close();
    login = open(config);
  }

  /** Returns the claims of a valid token of alice, an operator. */
  private JwtClaims claims() {
    JwtClaims claims = TestKey.claims();
    claims.setIssuer(issuer.url());
    claims.setStringListClaim("roles", List.of("viewer", "operator"));
    return claims;
  }

  private String token(Consumer<JwtClaims> change) {
    JwtClaims claims = claims();
    change.accept(claims);
    return KEY.sign(claims);
  }

  private Principal user(String token) {
    return login
        .authenticate(token, "192.0.2.1")
        .toCompletableFuture()
        .orTimeout(30, SECONDS)
        .join();
  }

  private void assertRefused(String token, Reason reason, String message) {
    assertThatThrownBy(() -> user(token))
        .cause()
        .isInstanceOfSatisfying(
            AuthenticationFailure.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(reason);
              assertThat(failure).hasMessageContaining(message);
            });
  }

  @Test
  void shouldBeDisabledWithoutIssuer() throws UnusableAuth {
    Config none = Config.defaults();
    assertThat(OidcLogin.open(OidcOptions.of(none), Revocations.of(RevocationOptions.of(none))))
        .isEmpty();
  }

  @Test
  void shouldAcceptTheIdTokenOfAnOperator() {
    Principal alice = user(token(claims -> {}));
    assertThat(alice.name()).isEqualTo("alice");
    assertThat(login.isOperator(alice)).isTrue();
  }

  @Test
  void shouldRequireARole() {
    Principal viewer = user(token(claims -> claims.setClaim("roles", List.of("viewer"))));
    assertThat(login.isOperator(viewer)).isFalse();
    assertThat(login.isOperator(user(token(claims -> claims.unsetClaim("roles"))))).isFalse();
    assertThat(login.isOperator(user(token(claims -> claims.setClaim("roles", "sre"))))).isTrue();
    assertThat(login.isOperator(user(token(claims -> claims.setClaim("roles", "operator sre")))))
        .isFalse();
    assertThat(login.missingRole(viewer)).startsWith("alice is not an operator").contains("roles");
  }

  @Test
  void shouldFindNestedRolesAndAnotherSubject() throws UnusableAuth {
    reopen(
        config()
            .with(AdminSettings.OIDC_ROLE_CLAIM, "realm_access.roles")
            .with(AdminSettings.OIDC_SUBJECT_CLAIM, "email"));
    Principal user =
        user(
            token(
                claims -> {
                  claims.setClaim("realm_access", Map.of("roles", List.of("sre")));
                  claims.setClaim("email", "alice@example.com");
                }));
    assertThat(user.name()).isEqualTo("alice@example.com");
    assertThat(login.isOperator(user)).isTrue();
    assertThat(
            login.isOperator(user(token(claims -> claims.setClaim("email", "alice@example.com")))))
        .isFalse();
  }

  @Test
  void shouldFindRolesInAClaimWhoseNameContainsDots() throws UnusableAuth {
    String name = "https://example.com/roles";
    reopen(config().with(AdminSettings.OIDC_ROLE_CLAIM, name));
    assertThat(login.isOperator(user(token(claims -> claims.setClaim(name, List.of("sre"))))))
        .isTrue();
    assertThat(login.isOperator(user(token(claims -> claims.setClaim(name, List.of("viewer"))))))
        .isFalse();
  }

  @Test
  void shouldRefuseOtherIssuersAndAudiences() {
    assertRefused(
        token(claims -> claims.setIssuer("https://other.example")),
        Reason.REFUSED,
        "another issuer");
    assertRefused(token(claims -> claims.unsetClaim("iss")), Reason.REFUSED, "another issuer");
    assertRefused(token(claims -> claims.setAudience("shop")), Reason.REFUSED, "another audience");
    assertRefused(token(claims -> claims.unsetClaim("aud")), Reason.REFUSED, "another audience");
  }

  @Test
  void shouldAcceptFurtherAudiences() throws UnusableAuth {
    reopen(config().with(AdminSettings.OIDC_AUDIENCE, List.of("sluice-admin")));
    assertThat(user(token(claims -> claims.setAudience("sluice-admin"))).name()).isEqualTo("alice");
    assertThat(user(token(claims -> {})).name()).isEqualTo("alice");
    assertRefused(token(claims -> claims.setAudience("shop")), Reason.REFUSED, "another audience");
  }

  @Test
  void shouldRefuseExpiredTokensAndThoseWithoutExpiry() {
    assertRefused(
        token(claims -> claims.setExpirationTime(TestKey.inSeconds(-1))),
        Reason.EXPIRED,
        "expired");
    assertRefused(token(claims -> claims.unsetClaim("exp")), Reason.REFUSED, "no expiry");
    assertRefused(
        token(claims -> claims.setNotBefore(TestKey.inSeconds(600))), Reason.REFUSED, "nbf");
  }

  @Test
  void shouldRefuseOtherKeys() {
    TestKey sameName = TestKey.create("key", "ES256");
    assertRefused(sameName.sign(claims()), Reason.REFUSED, "not signed by a key");
    assertRefused(
        TestKey.create("other", "ES256").sign(claims()), Reason.REFUSED, "not signed by a key");
  }

  @Test
  void shouldRefuseUnsignedTokensAndSharedSecrets() throws JoseException {
    String none = base64("{\"alg\":\"none\"}") + "." + base64(claims().toJson()) + ".";
    assertRefused(none, Reason.REFUSED, "algorithm is not accepted");
    JsonWebSignature secret = new JsonWebSignature();
    secret.setAlgorithmHeaderValue("HS256");
    secret.setPayload(claims().toJson());
    secret.setKey(new HmacKey(KEY.pair().getPublic().getEncoded()));
    assertRefused(secret.getCompactSerialization(), Reason.REFUSED, "algorithm is not accepted");
    assertRefused("opaque-opaque-opaque", Reason.MALFORMED, "not a readable JWT");
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }

  @Test
  void shouldNotAcceptTheKeysOfClients() throws UnusableAuth {
    TestKey ofClients = TestKey.create("clients", "ES256");
    try (TestIssuer clients = TestIssuer.start()) {
      clients.publish(ofClients);
      reopen(
          config()
              .with(AuthSettings.JWT_JWKS_URL, clients.jwksUrl())
              .with(AuthSettings.JWT_ISSUER, clients.url())
              .with(AuthSettings.ANONYMOUS, true));
      assertRefused(ofClients.sign(claims()), Reason.REFUSED, "not signed by a key");
      assertThat(user(token(claims -> {})).name()).isEqualTo("alice");
      assertThat(clients.requests()).isEmpty();
    }
  }

  @Test
  void shouldPublishTheEndpointsOfTheIssuer() throws UnusableAuth {
    user(token(claims -> {}));
    assertThat(login.client().fieldNames()).containsExactly("issuer", "client-id", "scope");
    assertThat(login.origins()).isEmpty();
    issuer.discovery(
        "{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/jwks\",\"token_endpoint\":\"%2$s/token?v=2\","
                .formatted(issuer.url(), "https://tokens.example:8443")
            + "\"authorization_endpoint\":\"https://id.example/auth\","
            + "\"revocation_endpoint\":\"https://tokens.example:8443/revoke\","
            + "\"end_session_endpoint\":\"http://id.example/unsafe\"}");
    reopen(config());
    await().until(() -> !login.origins().isEmpty());
    assertThat(login.origins()).containsExactly("https://tokens.example:8443");
    assertThat(login.client().getMap())
        .containsEntry("authorization-endpoint", "https://id.example/auth")
        .containsEntry("token-endpoint", "https://tokens.example:8443/token?v=2")
        .containsEntry("revocation-endpoint", "https://tokens.example:8443/revoke")
        .doesNotContainKey("end-session-endpoint");
  }

  @Test
  void shouldReportAnIssuerThatDoesNotRespond() throws UnusableAuth {
    issuer.status(500);
    reopen(config());
    assertRefused(token(claims -> {}), Reason.UNAVAILABLE, "could not be fetched");
    assertThat(login.issuerFailures()).isPositive();
  }
}
