package io.sluice.gateway.admin;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Admin port of a real node whose operators have tokens of an issuer. */
@Timeout(180)
final class OidcAccessIT {
  private static final String ADMIN_TOKEN = "0123456789abcdef";
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @AutoClose private final TestIssuer issuer = TestIssuer.start();

  private TestNode start() {
    issuer.publish(KEY);
    issuer.discovery(
        ("{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/jwks\",\"token_endpoint\":\"%1$s/token\","
                + "\"authorization_endpoint\":\"%1$s/auth\"}")
            .formatted(issuer.url()));
    return TestNode.start(config());
  }

  /** Node whose broker is not reachable. */
  private Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMillis(100))
        .with(AdminSettings.OIDC_ISSUER, issuer.url())
        .with(AdminSettings.OIDC_CLIENT_ID, "sluice")
        .with(AdminSettings.OIDC_ROLES, List.of("operator"));
  }

  private String token(Consumer<JwtClaims> change) {
    JwtClaims claims = TestKey.claims();
    claims.setIssuer(issuer.url());
    claims.setClaim("roles", List.of("operator"));
    change.accept(claims);
    return KEY.sign(claims);
  }

  private HttpResponse<String> get(TestNode node, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + node.gateway().adminPort() + path);
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static String policy(HttpResponse<?> response) {
    return response.headers().firstValue("Content-Security-Policy").orElseThrow();
  }

  private static void assertRefused(TestNode node, String token, int status, String message) {
    HttpResponse<String> response = AdminOpenApi.checked(node.operator(token).admin("/cluster"));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.body()).contains(message);
  }

  private static void awaitAudit(TestNode operator, String... parts) {
    await()
        .atMost(60, SECONDS)
        .untilAsserted(() -> assertThat(operator.admin("/audit").body()).contains(parts));
  }

  @Test
  void shouldRunCommandsOfAnOperator() {
    try (TestNode node = start()) {
      TestNode alice = node.operator(token(claims -> {}));
      assertThat(AdminOpenApi.checked(alice.admin("/cluster")).statusCode()).isEqualTo(200);
      assertThat(alice.admin("/metrics").statusCode()).isEqualTo(200);
      assertThat(AdminOpenApi.checked(alice.command("/drain")).statusCode()).isEqualTo(202);
      assertThat(AdminOpenApi.checked(alice.command("/undrain")).statusCode()).isEqualTo(200);
      awaitAudit(alice, "\"what\":\"drain\"", "\"with\":\"oidc:alice\"");
    }
  }

  @Test
  void shouldRefuseUsersWithoutRoleAndNameThemInTheAuditLog() {
    try (TestNode node = start()) {
      TestNode alice = node.operator(token(claims -> {}));
      String viewer =
          token(
              claims -> {
                claims.setSubject("mallory");
                claims.setClaim("roles", List.of("viewer"));
              });
      assertRefused(node, viewer, 403, "mallory is not an operator");
      assertThat(AdminOpenApi.checked(node.operator(viewer).command("/drain")).statusCode())
          .isEqualTo(403);
      awaitAudit(
          alice, "\"with\":\"oidc:mallory\"", "\"why\":\"no-role\"", "\"what\":\"POST /drain\"");
    }
  }

  @Test
  void shouldRefuseInvalidAndRevokedTokens() {
    try (TestNode node = start()) {
      assertRefused(
          node,
          token(claims -> claims.setExpirationTime(TestKey.inSeconds(-1))),
          401,
          "the token is invalid for this node: the token has expired");
      assertRefused(
          node, token(claims -> claims.setAudience("shop")), 401, "the token is for another");
      assertRefused(node, "not-a-token-of-anyone", 401, "the token is invalid for this node");
      TestNode alice = node.operator(token(claims -> {}));
      String stolen = token(claims -> claims.setJwtId("stolen"));
      alice.revoke("token", "stolen");
      assertRefused(node, stolen, 401, "this credential has been withdrawn");
      awaitAudit(
          alice,
          "\"why\":\"expired-token\"",
          "\"why\":\"wrong-token\"",
          "\"why\":\"revoked-token\"");
    }
  }

  @Test
  void shouldAcceptAnAdminTokenWhileTheIssuerDoesNotRespond() {
    issuer.status(500);
    try (TestNode node = TestNode.start(config().with(AdminSettings.TOKEN, ADMIN_TOKEN))) {
      assertRefused(node, token(claims -> {}), 503, "the issuer's keys");
      assertThat(node.operator(ADMIN_TOKEN).admin("/cluster").statusCode()).isEqualTo(200);
      assertThat(node.operator(ADMIN_TOKEN).admin("/login").body()).doesNotContain("endpoint");
    }
  }

  @Test
  void shouldDescribeItsLoginsToAnyone() throws Exception {
    try (TestNode node = start()) {
      await()
          .atMost(60, SECONDS)
          .untilAsserted(
              () ->
                  assertThat(AdminOpenApi.checked(get(node, "/login")).body())
                      .contains("\"required\":true", "\"methods\":[\"oidc\"]")
                      .contains("\"client-id\":\"sluice\"", issuer.url() + "/token"));
      get(node, "/console/");
      TestNode alice = node.operator(token(claims -> {}));
      alice.command("/drain");
      awaitAudit(alice, "\"what\":\"drain\"");
      assertThat(alice.admin("/audit").body()).doesNotContain("admin-refused");
    }
    try (TestNode open = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"))) {
      assertThat(AdminOpenApi.checked(get(open, "/login")).body())
          .isEqualTo("{\"required\":false,\"methods\":[]}");
    }
  }

  @Test
  void shouldAllowTheConsoleToContactTheTokenEndpointOnly() throws Exception {
    try (TestNode node = start()) {
      await()
          .atMost(60, SECONDS)
          .untilAsserted(
              () ->
                  assertThat(policy(get(node, "/console/")))
                      .contains("connect-src 'self' " + issuer.url() + ";")
                      .contains("form-action 'none'", "default-src 'none'"));
      HttpResponse<String> callback = get(node, "/console/callback?code=no-page&state=any");
      assertThat(callback.statusCode()).isEqualTo(200);
      assertThat(callback.headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(callback.body()).contains("Sluice console").doesNotContain("no-page");
      assertThat(policy(callback)).contains(issuer.url());
      assertThat(get(node, "/console/?code=no-page").statusCode()).isEqualTo(400);
    }
    try (TestNode other = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"))) {
      assertThat(get(other, "/console/callback").statusCode()).isEqualTo(404);
      assertThat(policy(get(other, "/console/"))).contains("connect-src 'self';");
    }
  }
}
