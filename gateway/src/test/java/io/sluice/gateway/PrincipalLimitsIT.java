package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.transport.RawWebSocket;
import java.time.Duration;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much of a node one principal may have over all its sessions. */
@Timeout(120)
final class PrincipalLimitsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private static TestIssuer issuer;
  private static TestBroker broker;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
  }

  @AfterAll
  static void stop() {
    broker.close();
    issuer.close();
  }

  private static <T> TestNode node(Setting<T> limit, T value) {
    Config config =
        TestNode.config("artemis", broker.url())
            .with(Settings.AUTH_JWT_JWKS_URL, issuer.jwksUrl())
            .with(limit, value);
    TestNode node = TestNode.start(config);
    await().atMost(PATIENCE).until(() -> node.metric("sluice_broker_connected") == 1);
    return node;
  }

  private static RawWebSocket client(TestNode node, String subject) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"token\":\"" + KEY.sign(claims) + "\"}");
    return client;
  }

  private static double reached(TestNode node, Setting<?> limit) {
    return node.metric("sluice_limits_reached_total{limit=\"" + limit.key() + "\"}");
  }

  private static String publish(RawWebSocket client, int ref, String payload) {
    return publish(client, ref, payload, "{}");
  }

  private static String publish(RawWebSocket client, int ref, String payload, String properties) {
    client.text(
        "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"shares\",\"payload\":\"%s\",\"properties\":%s}"
            .formatted(ref, payload, properties));
    JsonNode answer = client.readJson();
    while (answer.path("ref").asInt() != ref) {
      answer = client.readJson();
    }
    return answer.path("type").asText() + answer.path("code").asText();
  }

  @Test
  void shouldBoundTheConnections() {
    try (TestNode node = node(Settings.LIMIT_PRINCIPAL_CONNECTIONS, 2);
        RawWebSocket first = client(node, "alice");
        RawWebSocket other = client(node, "bob")) {
      first.await("hello");
      other.await("hello");
      RawWebSocket second = client(node, "alice");
      second.await("hello");
      try (RawWebSocket third = client(node, "alice")) {
        assertThat(third.awaitClose()).isEqualTo(4003);
      }
      assertThat(reached(node, Settings.LIMIT_PRINCIPAL_CONNECTIONS)).isEqualTo(1);
      second.close();
      await().atMost(PATIENCE).ignoreExceptionsMatching(e -> true).until(() -> enters(node));
    }
  }

  private static boolean enters(TestNode node) {
    try (RawWebSocket again = client(node, "alice")) {
      return again.readJson().path("type").asText().equals("hello");
    } catch (AssertionError closed) {
      return false;
    }
  }

  @Test
  void shouldBoundTheSubscriptions() {
    try (TestNode node = node(Settings.LIMIT_PRINCIPAL_SUBSCRIPTIONS, 2);
        RawWebSocket second = client(node, "alice");
        RawWebSocket other = client(node, "bob")) {
      RawWebSocket first = client(node, "alice");
      first.subscribe(1, "one");
      second.subscribe(1, "one");
      second.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"two\"}");
      assertThat(second.await("error").path("code").asText()).isEqualTo("too-many-subscriptions");
      assertThat(reached(node, Settings.LIMIT_PRINCIPAL_SUBSCRIPTIONS)).isEqualTo(1);
      other.subscribe(1, "two");
      second.text("{\"type\":\"unsubscribe\",\"ref\":3,\"topic\":\"one\"}");
      second.await("unsubscribed");
      second.subscribe(4, "two");
      first.close();
      await().atMost(PATIENCE).until(() -> node.metric("sluice_subscriptions") == 2);
      second.subscribe(5, "three");
    }
  }

  @Test
  void shouldBoundThePublishes() {
    try (TestNode node = node(Settings.LIMIT_PRINCIPAL_PUBLISH_RATE, 1);
        RawWebSocket first = client(node, "alice");
        RawWebSocket second = client(node, "alice");
        RawWebSocket other = client(node, "bob")) {
      first.await("hello");
      second.await("hello");
      assertThat(publish(first, 1, "a")).isEqualTo("published");
      assertThat(publish(second, 2, "b")).isEqualTo("errorrate-limited");
      assertThat(publish(other, 3, "c")).isEqualTo("published");
      assertThat(reached(node, Settings.LIMIT_PRINCIPAL_PUBLISH_RATE)).isEqualTo(1);
      await().atMost(PATIENCE).until(() -> publish(second, 4, "d").equals("published"));
    }
  }

  @Test
  void shouldBoundTheBytesOfPublishes() {
    try (TestNode node = node(Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES, 1000L);
        RawWebSocket first = client(node, "alice");
        RawWebSocket second = client(node, "alice")) {
      first.await("hello");
      second.await("hello");
      assertThat(publish(first, 1, "x".repeat(900))).isEqualTo("published");
      assertThat(publish(second, 2, "x".repeat(900))).isEqualTo("errorrate-limited");
      assertThat(reached(node, Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES)).isEqualTo(1);
    }
  }

  @Test
  void shouldCountPropertiesAsBytesOfPublishes() {
    String properties = "{\"text\":\"" + "x".repeat(900) + "\"}";
    try (TestNode node = node(Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES, 1000L);
        RawWebSocket client = client(node, "alice")) {
      client.await("hello");
      assertThat(publish(client, 1, "x", properties)).isEqualTo("published");
      assertThat(publish(client, 2, "x", properties)).isEqualTo("errorrate-limited");
      assertThat(reached(node, Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES)).isEqualTo(1);
    }
  }
}
