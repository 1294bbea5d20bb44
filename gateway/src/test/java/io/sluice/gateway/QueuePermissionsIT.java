package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Consumers of queues whose permission, session or node ends: docs/PROTOCOL.md, section 12. */
@Timeout(180)
final class QueuePermissionsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final String TRADER = "trader";

  private static TestIssuer issuer;
  private static TestBroker broker;
  private static TestNode node;

  @BeforeAll
  static void start() throws Exception {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
    node = TestNode.start(config());
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    node.close();
    broker.close();
    issuer.close();
  }

  private static Config config() {
    return TestNode.config("artemis", broker.url())
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(
            TopicSettings.PERMISSION_RULES,
            List.of(
                new PermissionRule(
                    Map.of(),
                    Map.of(
                        Operation.CONSUME, List.of("inbox.{sub}"),
                        Operation.SEND, List.of("inbox.*", "orders.*"))),
                new PermissionRule(
                    Map.of("role", TRADER), Map.of(Operation.CONSUME, List.of("orders.*")))));
  }

  private static String token(String subject, String role) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    claims.setJwtId(subject + "-" + role);
    claims.setStringClaim("role", role);
    return KEY.sign(claims);
  }

  private static RawWebSocket connect(TestNode to, String subject) {
    RawWebSocket client = to.json();
    say(client, "'type':'connect','token':'" + token(subject, TRADER) + "'");
    return client;
  }

  /** Sends a frame without its braces and with single quotation marks. */
  private static void say(RawWebSocket client, String members) {
    client.text("{" + members.replace('\'', '"') + "}");
  }

  private static void consume(RawWebSocket client, String queue) {
    say(client, "'type':'consume','ref':7,'queue':'" + queue + "','credit':1");
    client.await("consuming");
  }

  private static void send(RawWebSocket client, String queue, String payload) {
    say(client, "'type':'publish','ref':1,'queue':'%s','payload':'%s'".formatted(queue, payload));
    client.await("published");
  }

  /** Asserts that a client receives a message of a queue, and acknowledges it. */
  private static void assertDelivered(RawWebSocket client, String payload, boolean redelivered) {
    JsonNode delivery = client.await("delivery");
    assertThat(delivery.get("payload").asText()).isEqualTo(payload);
    assertThat(delivery.path("redelivered").asBoolean()).isEqualTo(redelivered);
    say(client, "'type':'ack','ref':2,'subscription':7,'tag':" + delivery.get("tag").asLong());
    client.await("settled");
  }

  @Test
  void shouldGiveEachClientItsOwnQueue() {
    try (RawWebSocket alice = connect(node, "alice");
        RawWebSocket bob = connect(node, "bob")) {
      consume(alice, "inbox.alice");
      say(alice, "'type':'consume','ref':8,'queue':'inbox.bob'");
      JsonNode error = alice.await("error");
      assertThat(error.get("code").asText()).isEqualTo("forbidden");
      assertThat(error.get("ref").asInt()).isEqualTo(8);
      assertThat(error.get("queue").asText()).isEqualTo("inbox.bob");

      send(alice, "inbox.bob", "to bob");
      consume(bob, "inbox.bob");
      assertDelivered(bob, "to bob", false);
      send(bob, "inbox.alice", "to alice");
      assertDelivered(alice, "to alice", false);
    }
  }

  @Test
  void shouldEndConsumersThatANewTokenDoesNotGrant() {
    String queue = "orders.refresh";
    try (RawWebSocket client = connect(node, "alice");
        RawWebSocket other = connect(node, "bob")) {
      consume(client, queue);
      send(other, queue, "1");
      client.await("delivery");
      say(client, "'type':'refresh','ref':3,'token':'" + token("alice", "guest") + "'");
      JsonNode error = client.await("error");
      assertThat(error.get("code").asText()).isEqualTo("forbidden");
      assertThat(error.get("ref").asInt()).isEqualTo(7);
      assertThat(error.get("queue").asText()).isEqualTo(queue);
      say(client, "'type':'ack','ref':4,'subscription':7,'tag':1");
      assertThat(client.await("error").get("code").asText()).isEqualTo("not-pending");

      consume(other, queue);
      assertDelivered(other, "1", true);
    }
  }

  @Test
  void shouldReturnPendingMessagesOfARevokedSession() {
    String queue = "orders.revoke";
    try (RawWebSocket client = node.json();
        RawWebSocket other = connect(node, "bob")) {
      say(client, "'type':'connect','token':'" + token("alice", TRADER) + "'");
      String session = client.await("hello").get("session").asText();
      consume(client, queue);
      send(other, queue, "1");
      client.await("delivery");
      assertThat(node.revoke("session", session)).isEqualTo("{\"closed\":1}");
      assertThat(client.awaitClose()).isEqualTo(4204);

      consume(other, queue);
      assertDelivered(other, "1", true);
    }
  }

  @Tag("full")
  @Test
  void shouldDeliverWhileTheNodeDrainsAndReturnPendingMessages() throws Exception {
    String queue = "orders.drain";
    Duration longerThanTheTest = Duration.ofMinutes(10);
    try (TestNode drains = TestNode.start(config(), TimeoutSettings.DRAIN, longerThanTheTest);
        RawWebSocket client = connect(drains, "alice");
        RawWebSocket other = connect(node, "bob")) {
      consume(client, queue);
      CompletableFuture<Void> stopped =
          CompletableFuture.runAsync(() -> drains.gateway().drainAndStop());
      client.await("draining");
      send(other, queue, "1");
      assertDelivered(client, "1", false);
      send(other, queue, "2");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("2");
      client.sendClose(1000, "");
      assertThat(client.awaitClose()).isEqualTo(1000);

      consume(other, queue);
      assertDelivered(other, "2", true);
      stopped.get(60, TimeUnit.SECONDS);
    }
  }
}
