package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.RawWebSocket;
import java.time.Duration;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that use OpenID Connect discovery, or token introspection (RFC 7662). */
@Timeout(180)
final class IssuerIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int REFUSED = 4200;
  private static final int UNAVAILABLE = 4002;

  @AutoClose private final TestIssuer issuer = TestIssuer.start();

  /** No broker is needed. */
  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.TIMEOUT, LONG);
  }

  private Config discovering() {
    return config()
        .with(AuthSettings.JWT_ISSUER, issuer.url())
        .with(AuthSettings.JWT_AUDIENCE, List.of("sluice"))
        .with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMillis(100))
        .with(AuthSettings.JWT_REFRESH, Duration.ofSeconds(1));
  }

  private Config asking() {
    return config()
        .with(AuthSettings.INTROSPECTION_URL, issuer.introspectionUrl())
        .with(AuthSettings.INTROSPECTION_CLIENT_ID, "node")
        .with(AuthSettings.INTROSPECTION_CLIENT_SECRET, "its secret")
        .with(AuthSettings.INTROSPECTION_CACHE, Duration.ofMillis(100))
        .with(AuthSettings.INTROSPECTION_CACHE_REFUSED, Duration.ofMillis(100));
  }

  private JwtClaims own() {
    JwtClaims claims = claims();
    claims.setIssuer(issuer.url());
    return claims;
  }

  private static RawWebSocket enter(TestNode node, String token) {
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"token\":\"" + token + "\"}");
    return client;
  }

  private static void assertServed(RawWebSocket client) {
    client.text("{\"type\":\"ping\",\"ref\":1}");
    client.await("pong");
  }

  private static void assertEnters(TestNode node, String token, String subject) {
    try (RawWebSocket client = enter(node, token)) {
      client.await("hello");
      assertThat(node.admin("/clients?search=" + subject).body())
          .contains("\"subject\":\"" + subject + "\"");
    }
  }

  private static void assertClosed(TestNode node, String token, int code) {
    try (RawWebSocket client = enter(node, token)) {
      assertThat(client.readJson().path("code").asText()).isEqualTo("unauthorized");
      assertThat(client.awaitClose()).isEqualTo(code);
    }
  }

  @Test
  void shouldAcceptTokensOfTheDiscoveredIssuerOnly() {
    TestKey key = TestKey.create("key", "ES256");
    issuer.publish(key);
    try (TestNode node = TestNode.start(discovering())) {
      assertEnters(node, key.sign(own()), "alice");
      assertClosed(node, TestKey.create("key", "ES256").sign(own()), REFUSED);
      assertClosed(node, key.sign(claims()), REFUSED); // of another issuer
      JwtClaims elsewhere = own();
      elsewhere.setAudience("others");
      assertClosed(node, key.sign(elsewhere), REFUSED);
    }
    assertThat(issuer.requests()).startsWith("/.well-known/openid-configuration", "/jwks");
  }

  @Test
  void shouldFollowTheDiscoveredKeysWhenTheyAreRotated() {
    TestKey first = TestKey.create("first", "ES256");
    TestKey second = TestKey.create("second", "RS256");
    issuer.publish(first);
    try (TestNode node = TestNode.start(discovering());
        RawWebSocket client = enter(node, first.sign(own()))) {
      client.await("hello");
      issuer.publish(first, second);
      await().atMost(LONG).untilAsserted(() -> assertEnters(node, second.sign(own()), "alice"));
      assertEnters(node, first.sign(own()), "alice");
      issuer.publish(second);
      await().atMost(LONG).untilAsserted(() -> assertClosed(node, first.sign(own()), REFUSED));
      assertEnters(node, second.sign(own()), "alice");
      assertServed(client); // it began before, and stays to the end of its token
    }
  }

  @Test
  void shouldKeepItsKeysWhileTheIssuerIsUnreachable() {
    TestKey key = TestKey.create("key", "ES256");
    issuer.publish(key);
    try (TestNode node = TestNode.start(discovering())) {
      assertEnters(node, key.sign(own()), "alice");
      issuer.status(503);
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> assertThat(node.metric("sluice_auth_issuer_failures_total")).isPositive());
      assertEnters(node, key.sign(own()), "alice");
    }
  }

  @Test
  void shouldAcceptActiveTokensOnly() {
    try (TestNode node = TestNode.start(asking())) {
      assertClosed(node, "of-nobody", REFUSED);
      issuer.introspection("{\"active\":true,\"sub\":\"opal\"}");
      assertEnters(node, "opaque", "opal");
      issuer.status(500);
      assertClosed(node, "not-asked-before", UNAVAILABLE);
    }
    // "node:its+secret", as RFC 6749 has it
    assertThat(issuer.requests()).contains("/introspect Basic bm9kZTppdHMrc2VjcmV0 token=opaque");
  }

  @Test
  void shouldRejectATokenThatItsIssuerRevoked() {
    issuer.introspection("{\"active\":true,\"sub\":\"opal\"}");
    try (TestNode node = TestNode.start(asking());
        RawWebSocket client = enter(node, "opaque")) {
      client.await("hello");
      issuer.introspection("{\"active\":false}");
      await().atMost(LONG).untilAsserted(() -> assertClosed(node, "opaque", REFUSED));
      assertServed(client); // no further introspection before its refresh
      client.text("{\"type\":\"refresh\",\"ref\":7,\"token\":\"opaque\"}");
      JsonNode error = client.await("error");
      assertThat(error.path("ref").asInt()).isEqualTo(7);
      assertThat(error.path("code").asText()).isEqualTo("unauthorized");
      assertServed(client);
    }
  }
}
