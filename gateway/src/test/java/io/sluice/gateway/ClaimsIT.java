package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.util.List;
import java.util.Map;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permissions of clients by the claims of their tokens: docs/reference/security.md. */
@Timeout(180)
final class ClaimsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private static TestIssuer issuer;
  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config(broker.provider(), broker.url())
                .with(AuthSettings.ANONYMOUS, false)
                .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
                .with(TopicSettings.PERMISSION_CLAIM, "sluice"),
            TopicSettings.PERMISSION_RULES,
            List.of(
                new PermissionRule(
                    Map.of(), List.of("orders.{sub}.>"), List.of("orders.{sub}.new")),
                new PermissionRule(Map.of("roles", "trader"), List.of("prices.>"), List.of())));
    publisher = new TestPublisher(broker.provider(), broker.url());
    await()
        .untilAsserted(() -> assertThat(node.admin("/health/ready").statusCode()).isEqualTo(200));
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
    issuer.close();
  }

  private static String token(String subject, Map<String, Object> more) {
    JwtClaims claims = TestKey.claims();
    claims.setSubject(subject);
    more.forEach(claims::setClaim);
    return KEY.sign(claims);
  }

  private static RawWebSocket connect(String subject, Map<String, Object> claims) {
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"token\":\"" + token(subject, claims) + "\"}");
    client.await("hello");
    return client;
  }

  private static void assertForbidden(RawWebSocket client, String type, String topic) {
    client.text(
        "{\"type\":\"%s\",\"ref\":9,\"topic\":\"%s\",\"payload\":\"x\"}".formatted(type, topic));
    JsonNode error = client.await("error");
    assertThat(error.path("topic").asText()).isEqualTo(topic);
    assertThat(error.path("code").asText()).isEqualTo("forbidden");
  }

  // The message may come before the answer, so that is not awaited.
  private static void publish(RawWebSocket client, String topic, String payload) {
    client.text(
        "{\"type\":\"publish\",\"ref\":8,\"topic\":\"%s\",\"payload\":\"%s\"}"
            .formatted(topic, payload));
  }

  private static void assertNextPayload(RawWebSocket client, String payload) {
    assertThat(client.await("message").path("payload").asText()).isEqualTo(payload);
  }

  @Test
  void shouldGiveEachClientTheTopicsOfItsName() throws Exception {
    try (RawWebSocket ann = connect("ann", Map.of());
        RawWebSocket bob = connect("bob", Map.of())) {
      ann.subscribe(1, "orders.ann.>");
      bob.subscribe(1, "orders.bob.>");
      for (String topic : List.of("orders.bob.1", "orders.*.1", "orders.>", "prices.eur")) {
        assertForbidden(ann, "subscribe", topic);
      }
      assertForbidden(ann, "publish", "orders.bob.new");
      publisher.text("orders.bob.1", "for bob");
      publisher.text("orders.ann.1", "for ann");
      assertNextPayload(bob, "for bob");
      assertNextPayload(ann, "for ann");
      publish(ann, "orders.ann.new", "by ann");
      assertNextPayload(ann, "by ann");
    }
  }

  @Test
  void shouldGrantNothingByANameThatIsAPattern() {
    for (String name : List.of("*", ">", "ann.1", "x y")) {
      try (RawWebSocket client = connect(name, Map.of())) {
        assertForbidden(client, "subscribe", "orders.ann.1");
        assertForbidden(client, "subscribe", "orders.*.1");
      }
    }
  }

  @Test
  void shouldGrantThePatternsOfTheClaim() throws Exception {
    Map<String, Object> patterns =
        Map.of("subscribe", List.of("rooms.7.>"), "publish", List.of("rooms.7.say"));
    try (RawWebSocket client = connect("carol", Map.of("sluice", patterns))) {
      client.subscribe(1, "rooms.7.say");
      assertForbidden(client, "subscribe", "rooms.8.say");
      assertForbidden(client, "publish", "rooms.7.shout");
      publish(client, "rooms.7.say", "hello");
      assertNextPayload(client, "hello");
    }
  }

  @Test
  void shouldEndOnlySubscriptionsThatARefreshNoLongerGrants() throws Exception {
    try (RawWebSocket client = connect("dave", Map.of("roles", List.of("trader")))) {
      client.subscribe(1, "prices.eur");
      client.subscribe(2, "orders.dave.>");
      client.text("{\"type\":\"refresh\",\"ref\":3,\"token\":\"" + token("dave", Map.of()) + "\"}");
      assertThat(client.await("refreshed").path("ref").asInt()).isEqualTo(3);
      JsonNode error = client.await("error");
      assertThat(error.path("code").asText()).isEqualTo("forbidden");
      assertThat(error.path("topic").asText()).isEqualTo("prices.eur");
      assertThat(error.path("ref").asInt()).isEqualTo(1);
      publisher.text("prices.eur", "no");
      publisher.text("orders.dave.1", "yes");
      assertNextPayload(client, "yes");
      assertForbidden(client, "subscribe", "prices.eur");

      String again = token("dave", Map.of("roles", List.of("trader")));
      client.text("{\"type\":\"refresh\",\"ref\":4,\"token\":\"" + again + "\"}");
      client.await("refreshed");
      client.subscribe(5, "prices.eur");
    }
  }
}
