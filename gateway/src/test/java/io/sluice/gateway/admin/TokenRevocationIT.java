package io.sluice.gateway.admin;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.testkit.RawWebSocket;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Revocation of tokens at a real node, whose issuer is a real server. */
@Timeout(180)
final class TokenRevocationIT {
  private static final int REVOKED = 4204;
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private static TestIssuer issuer;
  private static TestNode node;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    node =
        TestNode.start(
            TestNode.config("artemis", "tcp://127.0.0.1:1")
                .with(AuthSettings.ANONYMOUS, false)
                .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl()));
  }

  @AfterAll
  static void stop() {
    node.close();
    issuer.close();
  }

  private static String token(String subject, String id) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    claims.setJwtId(id);
    return KEY.sign(claims);
  }

  /** Client that has sent its token, which the node may refuse. */
  private static RawWebSocket show(String token) {
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"token\":\"" + token + "\"}");
    return client;
  }

  private static RawWebSocket connect(String token) {
    RawWebSocket client = show(token);
    client.await("hello");
    return client;
  }

  private static void assertIsServed(RawWebSocket client) {
    client.text("{\"type\":\"ping\",\"ref\":1}");
    client.await("pong");
  }

  private static void assertRefused(String token) {
    try (RawWebSocket client = show(token)) {
      JsonNode error = client.await("error");
      assertThat(error.path("code").asText()).isEqualTo("unauthorized");
      assertThat(error.path("message").asText()).isEqualTo("this credential has been withdrawn");
      assertThat(client.awaitClose()).isEqualTo(REVOKED);
    }
  }

  @Test
  void shouldCloseTheSessionsOfATokenAndRefuseOnlyIt() {
    try (RawWebSocket first = connect(token("ann", "ann-1"));
        RawWebSocket second = connect(token("ann", "ann-1"));
        RawWebSocket other = connect(token("ann", "ann-2"))) {
      assertThat(node.revoke("token", "ann-1")).isEqualTo("{\"closed\":2}");

      assertThat(first.awaitClose()).isEqualTo(REVOKED);
      assertThat(second.awaitClose()).isEqualTo(REVOKED);
      assertRefused(token("ann", "ann-1"));
      assertIsServed(other);
      other.text("{\"type\":\"refresh\",\"ref\":2,\"token\":\"" + token("ann", "ann-1") + "\"}");
      assertThat(other.await("error").path("message").asText()).contains("withdrawn");
      assertIsServed(other);
    }
  }

  @Test
  void shouldCloseAllSessionsOfASubjectAndRefuseOnlyItsTokens() {
    try (RawWebSocket first = connect(token("bob", "bob-1"));
        RawWebSocket second = connect(token("bob", "bob-2"));
        RawWebSocket other = connect(token("carol", "carol-1"))) {
      assertThat(node.revoke("subject", "bob")).isEqualTo("{\"closed\":2}");

      assertThat(first.awaitClose()).isEqualTo(REVOKED);
      assertThat(second.awaitClose()).isEqualTo(REVOKED);
      assertRefused(token("bob", "bob-1"));
      assertRefused(token("bob", "bob-3"));
      assertIsServed(other);
    }
  }

  @Test
  void shouldDistinguishATokenFromACertificateOfTheSameName() {
    try (RawWebSocket client = connect(token("dave", "a1f"))) {
      assertThat(node.revoke("certificate", "a1f")).isEqualTo("{\"closed\":0}");
      assertIsServed(client);
      connect(token("dave", "a1f")).close();
    }
  }
}
