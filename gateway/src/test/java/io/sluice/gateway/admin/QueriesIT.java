package io.sluice.gateway.admin;

import static io.sluice.gateway.auth.TestKey.claims;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.TextMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of topics and clients of one node with a real broker. */
final class QueriesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final int MAX_TOPICS = 4;

  @TempDir private Path folder;
  private final TestIssuer issuer = TestIssuer.start();
  private TestBroker broker;
  private TestNode node;
  private TestPublisher publisher;

  @BeforeEach
  void start() throws Exception {
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
    Config config =
        TestNode.unlimited(TestNode.config("artemis", broker.url()))
            .with(AuthSettings.ANONYMOUS, false)
            .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
            .with(LimitSettings.TOPICS, MAX_TOPICS)
            .with(AdminSettings.AUDIT_FILE, folder.resolve("audit.log").toString())
            .with(AdminSettings.ALERTS_URL, "https://alerts.example.com/#/alerts")
            .with(LimitSettings.PENDING_BYTES, 8L << 20)
            .with(ServerSettings.SEND_BUFFER, 64L << 10)
            .with(TimeoutSettings.PING, Duration.ofMillis(100))
            .with(
                TopicSettings.PERMISSION_RULES,
                List.of(new PermissionRule(Map.of(), List.of("a.>"), List.of())));
    node = TestNode.start(config);
    publisher = new TestPublisher("artemis", broker.url());
    node.awaitReady();
  }

  @AfterEach
  void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
    issuer.close();
  }

  private RawWebSocket client(String subject) {
    return client(subject, node.request());
  }

  private static RawWebSocket client(String subject, RawWebSocket.Request request) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    return request
        .subprotocols(Encoding.JSON_SUBPROTOCOL)
        .set("Authorization", "Bearer " + KEY.sign(claims))
        .open();
  }

  private JsonNode get(String path) {
    HttpResponse<String> response = AdminOpenApi.checked(node.admin(path));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String why(String subject, String topic) {
    return get("/why?subject=" + subject + "&topic=" + topic).get("answer").asText();
  }

  private String result(String subject, String topic, String step) {
    for (JsonNode each : get("/why?subject=" + subject + "&topic=" + topic).get("steps")) {
      if (each.get("step").asText().equals(step)) {
        return each.get("result").asText();
      }
    }
    return "absent";
  }

  private static void subscribe(RawWebSocket client, String topic, String where) {
    client.text(
        "{\"type\":\"subscribe\",\"ref\":7,\"topic\":\"%s\",\"where\":\"%s\",\"tagged\":true}"
            .formatted(topic, where));
    client.await("subscribed");
  }

  @Tag("full")
  @Test
  void shouldListTopicsByRateWithTheirFigures() throws Exception {
    try (RawWebSocket alice = client("alice");
        RawWebSocket bob = client("bob")) {
      alice.subscribe(1, "a.quiet");
      alice.subscribe(2, "a.busy");
      bob.subscribe(1, "a.busy");
      for (int i = 0; i < 10; i++) {
        publisher.text("a.busy", "0123456789");
      }
      alice.payloads(10);
      await().until(() -> get("/topics").at("/topics/0/log").asInt() == 10);
      JsonNode topics = get("/topics");

      assertThat(topics.get("total").asInt()).isEqualTo(2);
      assertThat(topics.get("partial").asBoolean()).isFalse();
      JsonNode busy = topics.at("/topics/0");
      assertThat(busy.get("topic").asText()).isEqualTo("a.busy");
      assertThat(busy.get("rate").asDouble()).isPositive();
      assertThat(busy.get("bytes-rate").asDouble())
          .isCloseTo(10 * busy.get("rate").asDouble(), offset(0.1));
      assertThat(busy.get("subscribers").asInt()).isEqualTo(2);
      assertThat(busy.get("consumer").asText()).isEqualTo("active");
      assertThat(busy.get("last-message-ms").asLong())
          .isCloseTo(System.currentTimeMillis(), offset(60_000L));
      assertThat(topics.at("/topics/1/last-message-ms").isMissingNode()).isTrue();
      assertThat(get("/topics?search=QUIET").at("/topics/0/topic").asText()).isEqualTo("a.quiet");
      assertThat(get("/topics?sort=subscribers&offset=1&limit=1").at("/topics/0/topic").asText())
          .isEqualTo("a.quiet");
    }
  }

  @Test
  void shouldShowTheSubscribersOfATopicAndOfPatterns() {
    try (RawWebSocket alice = client("alice");
        RawWebSocket bob = client("bob");
        RawWebSocket carol = client("carol")) {
      alice.subscribe(1, "a.b");
      bob.subscribe(1, "a.*");
      carol.subscribe(1, "a.c");
      JsonNode topic = get("/topics/a.b");

      assertThat(topic.get("subscribers").asInt()).isEqualTo(2);
      assertThat(topic.get("subscriptions").findValuesAsText("subject"))
          .containsExactlyInAnyOrder("alice", "bob");
      assertThat(topic.get("interests").findValuesAsText("topic"))
          .containsExactlyInAnyOrder("a.b", "a.*");
      HttpResponse<String> none = AdminOpenApi.checked(node.admin("/topics/nobody"));
      assertThat(none.statusCode()).isEqualTo(404);
      assertThat(none.body()).isEqualTo("no node that responded has a subscription to nobody\n");
    }
  }

  @Test
  void shouldListClientsAndShowOne() {
    try (RawWebSocket alice = client("alice");
        RawWebSocket bob = client("bob")) {
      alice.subscribe(1, "a.1");
      alice.subscribe(2, "a.2");
      bob.subscribe(1, "a.1");
      JsonNode clients = get("/clients?sort=subscriptions");
      assertThat(clients.get("clients").findValuesAsText("subject"))
          .containsExactly("alice", "bob");
      assertThat(clients.get("total").asInt()).isEqualTo(2);
      JsonNode page = get("/clients?limit=1&offset=1&search=127.0.0.1");
      assertThat(page.get("clients").findValuesAsText("subject")).containsExactly("bob");
      assertThat(page.get("total").asInt()).isEqualTo(2);
      assertThat(get("/clients?search=nobody").get("clients")).isEmpty();

      String session = clients.at("/clients/0/session").asText();
      JsonNode client = get("/clients/" + session);
      assertThat(client.get("subject").asText()).isEqualTo("alice");
      assertThat(client.get("mechanism").asText()).isEqualTo("jwt");
      assertThat(client.get("address").asText()).isEqualTo("127.0.0.1");
      assertThat(client.get("subscribed").findValuesAsText("topic"))
          .containsExactlyInAnyOrder("a.1", "a.2");
      assertThat(client.at("/permissions/subscribe/0").asText()).isEqualTo("a.>");
      assertThat(client.get("credential-expires").asLong()).isPositive();
      assertThat(AdminOpenApi.checked(node.admin("/clients/" + session + "9")).statusCode())
          .isEqualTo(404);
    }
  }

  @Test
  void shouldShowTheEffectOfACommandInTheNextList() {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      JsonNode clients = get("/clients");
      String session = clients.at("/clients/0/session").asText();
      assertThat(
              AdminOpenApi.checked(node.command("/clients/" + session + "/disconnect"))
                  .statusCode())
          .isEqualTo(200);
      assertThat(get("/clients").get("total").asInt()).isZero();
    }
  }

  @Tag("full")
  @Test
  void shouldShareTheResultOfEqualQueriesForASecond() {
    await().until(() -> get("/overview").get("at").equals(get("/overview").get("at")));
    long at = get("/overview").get("at").asLong();
    await().until(() -> get("/overview").get("at").asLong() > at);
  }

  @Test
  void shouldMeasureTheRoundTripOfAClientThatAnswersPings() {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      await()
          .until(
              () -> {
                alice.send(pong());
                return !get("/clients").at("/clients/0/rtt-ms").isMissingNode();
              });
      assertThat(get("/clients").at("/clients/0/rtt-ms").asInt()).isBetween(0, 60_000);
    }
  }

  /** A masked pong without a payload. */
  private static byte[] pong() {
    return new byte[] {(byte) 0x8A, (byte) 0x80, 0, 0, 0, 0};
  }

  @Test
  void shouldRefuseInvalidParameters() {
    assertRefused(
        "/topics?sort=size", "sort is none of rate, bytes, subscribers, log, log-age, gaps");
    assertRefused("/topics?limit=0", "limit is not a number from 1 to 1000");
    assertRefused("/clients?limit=1001", "limit is not a number from 1 to 1000");
    assertRefused("/clients?scope=node&limit=10001", "limit is not a number from 1 to 10000");
    assertRefused("/clients?offset=9001", "offset is not a number from 0 to 9000");
    assertRefused("/clients?scope=all", "scope is none of cluster, node");
    assertRefused("/clients?search=" + "x".repeat(257), "search has more than 256 characters");
    assertRefused("/audit?limit=1001", "limit is not a number from 1 to 1000");
    assertRefused("/why?topic=a", "the parameter subject is missing");
    assertRefused("/why?subject=a", "the parameter topic is missing");
  }

  private void assertRefused(String path, String why) {
    HttpResponse<String> response = AdminOpenApi.checked(node.admin(path));
    assertThat(response.statusCode()).as(path).isEqualTo(400);
    assertThat(response.body()).isEqualTo(why + "\n");
  }

  @Test
  void shouldNameAMissingSessionAndAMissingSubscription() {
    assertThat(why("alice", "a.1"))
        .isEqualTo("session: no session of the subject \"alice\" is connected");
    String ended;
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      ended = get("/clients").at("/clients/0/session").asText();
      assertThat(node.command("/clients/" + ended + "/disconnect").statusCode()).isEqualTo(200);
      assertThat(alice.awaitClose()).isEqualTo(4004);
    }
    await().until(() -> get("/why?subject=alice&topic=a.1").has("last-end"));
    assertThat(get("/why?subject=alice&topic=a.1").at("/last-end/code").asInt()).isEqualTo(4004);
    assertThat(why("alice", "a.1"))
        .startsWith(
            "session: no session of the subject \"alice\" is connected; the latest one, "
                + ended
                + ", ended at 20")
        .endsWith(" ago: disconnected (4004), by 127.0.0.1");
    assertThat(why("bob", "a.1"))
        .isEqualTo("session: no session of the subject \"bob\" is connected");
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.2");
      assertThat(why("alice", "a.1"))
          .startsWith("interest: the session is not subscribed to \"a.1\"");
      assertThat(why("alice", "b.1"))
          .isEqualTo("permission: this client may not subscribe to \"b.1\"");
    }
  }

  @Test
  void shouldNameTheLimitOfTopics() {
    try (RawWebSocket alice = client("alice");
        RawWebSocket bob = client("bob")) {
      for (int i = 1; i <= MAX_TOPICS; i++) {
        alice.subscribe(i, "a." + i);
      }
      bob.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"a.more\"}");
      assertThat(bob.await("error").get("code").asText()).isEqualTo("too-many-topics");
      assertThat(why("bob", "a.more"))
          .isEqualTo("limits: the node has 4 topics, the maximum of limits.per-node.topics");
      assertThat(why("bob", "a.1")).startsWith("interest: ");
    }
  }

  @Test
  void shouldShowRatesAndTheBroker() throws Exception {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      publisher.text("a.1", "x");
      alice.await("message");
      await().until(() -> get("/overview").at("/cluster/messages-rate").asDouble() > 0);
      JsonNode overview = get("/overview");
      assertThat(overview.at("/cluster/clients").asInt()).isEqualTo(1);
      assertThat(overview.at("/cluster/messages-rate").asDouble()).isPositive();
      assertThat(overview.at("/cluster/frames-rate").asDouble()).isPositive();
      assertThat(overview.at("/by-node/0/broker").asText()).isEqualTo("connected");
      assertThat(overview.get("alerts-url").asText())
          .isEqualTo("https://alerts.example.com/#/alerts");
    }
  }

  @Tag("full")
  @Test
  void shouldTraceTheFramesOfASessionForATime() throws Exception {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      String path = "/clients/" + get("/clients").at("/clients/0/session").asText();
      assertThat(get(path).has("recent-frames")).isFalse();
      assertThat(trace(path, "{\"seconds\":301}").statusCode()).isEqualTo(400);
      assertThat(trace(path, "{}").statusCode()).isEqualTo(400);
      assertThat(trace(path, "{\"seconds\":300}").statusCode()).isEqualTo(200);
      alice.subscribe(2, "a.2");
      publisher.text("a.1", "x");
      alice.await("message");
      JsonNode frames = get(path).get("recent-frames");
      assertThat(frames.findValuesAsText("type"))
          .containsExactly("subscribe", "subscribed", "message");
      assertThat(frames.findValuesAsText("direction")).containsExactly("in", "out", "out");
      assertThat(frames.findValuesAsText("topic")).containsExactly("a.2", "a.2", "a.1");
      for (int i = 0; i < 201; i++) {
        publisher.text("a.1", "x");
      }
      alice.payloads(201);
      assertThat(get(path).get("recent-frames")).hasSize(200);
      assertThat(trace(path, "{\"seconds\":1}").statusCode()).isEqualTo(200);
      await().until(() -> !get(path).has("recent-frames"));
      publisher.text("a.1", "still");
      assertThat(alice.payloads(1)).containsExactly("still");
    }
  }

  private HttpResponse<String> trace(String path, String body) {
    return AdminOpenApi.checked(node.post(path + "/trace", body));
  }

  @Test
  void shouldShowTheConfigurationWithOrigins() {
    JsonNode keys = get("/config").get("keys");
    assertThat(keys.findValuesAsText("key")).contains("server.port", "broker.url");
    assertThat(keys.findValuesAsText("origin")).containsOnly("default", "program");
  }

  @Test
  void shouldNameALostBroker() {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      broker.kill();
      alice.await("stale");
      await().until(() -> why("alice", "a.1").startsWith("broker-consumer: "));
      assertThat(why("alice", "a.1"))
          .startsWith("broker-consumer: the consumer of a.1 at the broker is lost");
      alice.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"a.2\"}");
      await()
          .until(
              () -> why("alice", "a.2").contains("the consumer of a.2 at the broker is opening"));
    }
  }

  @Test
  void shouldNameAMissingMessageAndReportMessages() throws Exception {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      assertThat(why("alice", "a.1"))
          .startsWith("last-message: no message of a.1 has arrived since");
      publisher.text("a.1", "x");
      alice.await("message");
      assertThat(why("alice", "a.1"))
          .startsWith("no problem was found; the latest message of a.1 arrived at ");
    }
  }

  @Tag("full")
  @Test
  void shouldNameASelectorThatExcludesEveryMessage() throws Exception {
    try (RawWebSocket alice = client("alice")) {
      subscribe(alice, "a.1", "region = 'EU'");
      assertThat(why("alice", "a.1")).startsWith("last-message: no message of a.1 has arrived");
      TextMessage message = publisher.session().createTextMessage("x");
      message.setStringProperty("region", "US");
      publisher.send("a.1", message);
      await()
          .until(
              () ->
                  why("alice", "a.1")
                      .startsWith("filter: no message matches the selector region = 'EU'"));
      message.setStringProperty("region", "EU");
      publisher.send("a.1", message);
      alice.await("message");
      await().until(() -> why("alice", "a.1").startsWith("no problem"));
    }
  }

  @Tag("full")
  @Test
  void shouldNameAClientThatIsBehind() throws Exception {
    RawWebSocket.Request request = node.request().receiveBuffer(16 * 1024);
    try (RawWebSocket slow = client("slow", request)) {
      slow.subscribe(1, "a.1");
      String filler = "x".repeat(64 * 1024);
      await()
          .atMost(60, SECONDS)
          .until(
              () -> {
                publisher.text("a.1", filler);
                return why("slow", "a.1")
                    .startsWith("position: the client was sent messages up to");
              });
      assertThat(result("slow", "a.1", "position")).isEqualTo("problem");
      assertThat(get("/clients?sort=pending").at("/clients/0/pending-bytes").asLong())
          .isGreaterThan(64 * 1024);
    }
  }

  @Tag("full")
  @Test
  void shouldNameAClientThatDoesNotAnswerPings() throws Exception {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      publisher.text("a.1", "x");
      alice.await("message");
      await()
          .atMost(60, SECONDS)
          .until(() -> why("alice", "a.1").contains("; it has not answered the ping of 20"));
      assertThat(why("alice", "a.1")).startsWith("position: ");
    }
  }

  @Tag("full")
  @Test
  void shouldNameAGapUntilMessagesFollow() throws Exception {
    try (RawWebSocket alice = client("alice")) {
      alice.subscribe(1, "a.1");
      publisher.text("a.1", "x");
      alice.await("message");
      broker.kill();
      alice.await("stale");
      broker.restart();
      alice.await("live");
      await().until(() -> why("alice", "a.1").startsWith("gaps: "));
      assertThat(why("alice", "a.1"))
          .startsWith("gaps: 1 gap was sent to the subscription, the latest at ")
          .endsWith("messages were lost; none has followed");
      assertThat(get("/topics").at("/topics/0/log").asInt()).isEqualTo(1);
      try (TestPublisher again = new TestPublisher("artemis", broker.url())) {
        again.text("a.1", "x");
        alice.await("message");
      }
      assertThat(why("alice", "a.1"))
          .startsWith("no problem was found; the latest message of a.1 arrived at ")
          .contains("; past, gaps: 1 gap was sent to the subscription, the latest at ");
      assertThat(result("alice", "a.1", "gaps")).isEqualTo("past");
      assertThat(get("/clients").at("/clients/0/gaps").asInt()).isEqualTo(1);
      assertThat(get("/topics?sort=gaps").at("/topics/0/gaps").asInt()).isEqualTo(1);
      await() // equal queries share a result
          .until(() -> get("/topics").at("/topics/0/log").asInt() == 2);
    }
  }
}
