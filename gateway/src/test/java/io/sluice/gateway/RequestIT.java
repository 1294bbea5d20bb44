package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import jakarta.jms.BytesMessage;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.StreamMessage;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Requests of clients to both brokers, answered by a plain JMS responder. */
@Timeout(180)
final class RequestIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int MAX_BYTES = 10_000;
  private static final int MAX_PENDING = 20;

  private static BrokerNodes nodes;

  @BeforeAll
  static void start() {
    nodes = BrokerNodes.start(RequestIT::config);
  }

  private static Config config(TestBroker broker) {
    return TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
        .with(LimitSettings.BROKER_MESSAGE_BYTES, (long) MAX_BYTES)
        .with(TopicSettings.QUEUES_SEND, List.of("*"))
        .with(LimitSettings.PUBLISH_RATE, 100_000)
        .with(LimitSettings.FRAME_RATE, 0)
        .with(LimitSettings.REQUESTS, MAX_PENDING);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static String frame(int ref, String queue, String more) {
    return "{\"type\":\"request\",\"ref\":%d,\"queue\":\"%s\",\"payload\":\"%d\"%s}"
        .formatted(ref, queue, ref, more);
  }

  private static JsonNode request(RawWebSocket client, int ref, String queue, String more) {
    client.text(frame(ref, queue, more));
    JsonNode answer = client.readJson();
    while (answer.get("type").asText().equals("hello")) {
      answer = client.readJson();
    }
    assertThat(answer.get("ref").asInt()).isEqualTo(ref);
    return answer;
  }

  private static String code(JsonNode answer) {
    assertThat(answer.get("type").asText()).as(answer.toString()).isEqualTo("error");
    return answer.get("code").asText();
  }

  @ParameterizedTest
  @EachBroker
  void shouldReturnTheReply(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (JmsResponder responder =
            JmsResponder.ofQueue(
                scene.broker(),
                "echo",
                (session, request) -> {
                  Message reply = session.createTextMessage("re: " + request.getBody(String.class));
                  reply.setJMSType("quote");
                  return reply;
                });
        RawWebSocket client = scene.node().json()) {
      JsonNode reply = request(client, 3, "echo", "");
      assertThat(reply.get("type").asText()).isEqualTo("reply");
      assertThat(reply.get("payload").asText()).isEqualTo("re: 3");
      assertThat(reply.get("messageType").asText()).isEqualTo("quote");
      assertThat(reply.get("id").asText()).hasSize(16);
      assertThat(Math.abs(reply.get("time").asLong() - System.currentTimeMillis()))
          .isLessThan(60_000);
      assertThat(reply.has("encoding")).isFalse();
      assertThat(responder.received().peek().getJMSExpiration()).isPositive();
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldSendRequestsToTopics(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (JmsResponder responder =
            JmsResponder.ofTopic(
                scene.broker(),
                "bids",
                (session, request) ->
                    session.createTextMessage(
                        request.getBody(Map.class).get("pair") + request.getJMSType()));
        RawWebSocket client = scene.node().json()) {
      client.text(
          "{\"type\":\"request\",\"ref\":1,\"topic\":\"bids\",\"encoding\":\"json\","
              + "\"payload\":{\"pair\":\"EURUSD\"},\"messageType\":\"?\"}");
      assertThat(client.await("reply").get("payload").asText()).isEqualTo("EURUSD?");
      assertThat(responder.failures()).isEmpty();
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldReturnAllKindsOfReplies(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (JmsResponder responder = JmsResponder.ofQueue(scene.broker(), "kinds", null);
        RawWebSocket client = scene.node().json()) {
      responder.handler(
          (session, request) -> {
            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes(new byte[] {0, (byte) 255});
            return bytes;
          });
      JsonNode reply = request(client, 1, "kinds", "");
      assertThat(reply.get("encoding").asText()).isEqualTo("base64");
      assertThat(reply.get("payload").binaryValue()).containsExactly(0, 255);
      responder.handler(
          (session, request) -> {
            MapMessage map = session.createMapMessage();
            map.setDouble("price", 1.5);
            return map;
          });
      reply = request(client, 2, "kinds", "");
      assertThat(reply.get("encoding").asText()).isEqualTo("json");
      assertThat(reply.get("payload").get("price").asDouble()).isEqualTo(1.5);
      responder.handler(
          (session, request) -> {
            StreamMessage stream = session.createStreamMessage();
            stream.writeString("a\u2028\"");
            return stream;
          });
      assertThat(request(client, 3, "kinds", "").get("payload").get(0).asText())
          .isEqualTo("a\u2028\"");
      responder.handler((session, request) -> session.createMessage());
      assertThat(request(client, 4, "kinds", "").get("payload").asText()).isEmpty();
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldReportRepliesThatAreNotForwarded(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (JmsResponder responder = JmsResponder.ofQueue(scene.broker(), "bad-replies", null);
        RawWebSocket client = scene.node().json()) {
      responder.handler((session, request) -> session.createObjectMessage("object"));
      assertThat(code(request(client, 1, "bad-replies", ""))).isEqualTo("no-reply");
      responder.handler(JmsResponder.text("x".repeat(MAX_BYTES + 1)));
      JsonNode error = request(client, 2, "bad-replies", "");
      assertThat(code(error)).isEqualTo("no-reply");
      assertThat(error.get("message").asText()).contains("limits.broker-message-bytes (10000)");
      responder.handler(JmsResponder.text("x".repeat(MAX_BYTES)));
      assertThat(request(client, 3, "bad-replies", "").get("payload").asText()).hasSize(MAX_BYTES);
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldReplyOverStreamsAndInTheBinaryEncoding(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (JmsResponder responder =
            JmsResponder.ofQueue(scene.broker(), "anywhere", JmsResponder.text("here"));
        RawWebSocket binary = scene.node().binary()) {
      assertThat(request(binary, 1, "anywhere", "").get("payload").asText()).isEqualTo("here");
      try (RawWebSocket stream = scene.node().stream(frame(2, "anywhere", "")).open()) {
        assertThat(stream.await("reply").get("ref").asInt()).isEqualTo(2);
        assertThat(stream.awaitClose()).isEqualTo(1000);
      }
      assertThat(responder.received()).hasSize(2);
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRefuseBadRequests(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (RawWebSocket client = scene.node().json()) {
      JsonNode error = request(client, 1, "a", ",\"timeout\":60001");
      assertThat(code(error)).isEqualTo("bad-frame");
      assertThat(error.get("message").asText())
          .isEqualTo("timeout 60001 exceeds limits.request-timeout (60000)");
      assertThat(error.get("queue").asText()).isEqualTo("a");
      assertThat(code(request(client, 2, "a", ",\"timeout\":0"))).isEqualTo("bad-frame");
      assertThat(code(request(client, 3, "a.*", ""))).isEqualTo("invalid-topic");
      assertThat(code(request(client, 4, "not.served", ""))).isEqualTo("forbidden");
      assertThat(code(request(client, 5, "a", ",\"timeout\":1"))).isEqualTo("timeout");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldReportATimeoutAndDropTheLateReply(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    double late = scene.node().metric("sluice_replies_late_total");
    try (JmsResponder responder =
            JmsResponder.ofQueue(scene.broker(), "slow", (session, request) -> null);
        RawWebSocket client = scene.node().json()) {
      int ref = 0;
      do { // a slow node may not send the request in time
        ref++;
        JsonNode error = request(client, ref, "slow", ",\"timeout\":" + ref * 200);
        assertThat(code(error)).isEqualTo("timeout");
        assertThat(error.get("queue").asText()).isEqualTo("slow");
      } while (responder.received().isEmpty());
      responder.replyLater(responder.received().peek(), "late");
      await()
          .atMost(LONG)
          .until(() -> scene.node().metric("sluice_replies_late_total") == late + 1);
      responder.handler(JmsResponder.text("in time"));
      JsonNode reply = request(client, ref + 1, "slow", "");
      assertThat(reply.get("payload").asText()).isEqualTo("in time");
      assertThat(scene.node().metric("sluice_requests_pending")).isZero();
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRemoveTheRequestsOfADisconnectedClient(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (JmsResponder responder =
        JmsResponder.ofQueue(scene.broker(), "gone", (session, request) -> null)) {
      try (RawWebSocket client = scene.node().json()) {
        for (int ref = 1; ref <= MAX_PENDING + 1; ref++) {
          client.text(frame(ref, "gone", ",\"timeout\":60000"));
        }
        JsonNode error = client.await("error");
        assertThat(error.get("ref").asInt()).isEqualTo(MAX_PENDING + 1);
        assertThat(code(error)).isEqualTo("too-many-requests");
        assertThat(error.get("message").asText()).contains("limits.requests (20)");
        assertThat(scene.node().metric("sluice_requests_pending")).isEqualTo(MAX_PENDING);
        await().atMost(LONG).until(() -> responder.received().size() == MAX_PENDING);
      }
      await().atMost(LONG).until(() -> scene.node().metric("sluice_requests_pending") == 0);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldMatchTenThousandRepliesToTheirRequests(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    int requests = 10_000;
    try (JmsResponder responder =
            JmsResponder.ofQueue(
                scene.broker(),
                "many",
                (session, request) -> session.createTextMessage(request.getBody(String.class)));
        RawWebSocket client = scene.node().json()) {
      Set<Integer> open = new HashSet<>();
      int sent = 0;
      int replied = 0;
      while (replied < requests) {
        while (sent < requests && open.size() < MAX_PENDING) {
          client.text(frame(++sent, "many", ""));
          open.add(sent);
        }
        JsonNode reply = client.await("reply");
        int ref = reply.get("ref").asInt();
        assertThat(reply.get("payload").asText()).isEqualTo(String.valueOf(ref));
        assertThat(open.remove(ref)).isTrue();
        replied++;
      }
      assertThat(responder.received()).hasSize(requests);
      assertThat(responder.failures()).isEmpty();
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldSeparateTheRepliesOfTwoNodes(String provider) throws Exception {
    BrokerNodes.Scene scene = nodes.of(provider);
    try (TestNode other = TestNode.start(config(scene.broker()));
        JmsResponder responder =
            JmsResponder.ofQueue(
                scene.broker(),
                "shared",
                (session, request) -> session.createTextMessage(request.getBody(String.class)));
        RawWebSocket first = scene.node().json();
        RawWebSocket second = other.json()) {
      other.awaitReady();
      for (int ref = 1; ref <= MAX_PENDING; ref++) {
        first.text(frame(ref, "shared", ""));
        second.text(frame(1_000 + ref, "shared", ""));
      }
      for (int i = 0; i < MAX_PENDING; i++) {
        JsonNode one = first.await("reply");
        assertThat(one.get("payload").asInt()).isEqualTo(one.get("ref").asInt()).isLessThan(1_000);
        JsonNode two = second.await("reply");
        assertThat(two.get("payload").asInt())
            .isEqualTo(two.get("ref").asInt())
            .isGreaterThan(1_000);
      }
      assertThat(other.metric("sluice_replies_late_total")).isZero();
      assertThat(responder.received()).hasSize(2 * MAX_PENDING);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportThatNoReplyArrivesAfterTheLossOfTheBroker(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      node.awaitReady();
      try (JmsResponder responder =
          JmsResponder.ofQueue(broker, "lost", (session, request) -> null)) {
        client.text(frame(1, "lost", ",\"timeout\":60000"));
        await().atMost(LONG).until(() -> responder.received().size() == 1);
        broker.kill();
        JsonNode error = client.await("error");
        assertThat(error.get("ref").asInt()).isEqualTo(1);
        assertThat(code(error)).isEqualTo("no-reply");
      } catch (jakarta.jms.JMSException e) {
        // The responder's connection is lost, too.
      }
      client.text(frame(2, "lost", ""));
      assertThat(code(client.await("error"))).isEqualTo("broker-unavailable");
      broker.restart();
      node.awaitReady();
      try (JmsResponder responder =
          JmsResponder.ofQueue(broker, "lost", JmsResponder.text("back"))) {
        await().atMost(LONG).until(() -> isReplied(client));
        assertThat(responder.failures()).isEmpty();
      }
    }
  }

  private static boolean isReplied(RawWebSocket client) {
    client.text(frame(3, "lost", ""));
    JsonNode answer = client.readJson();
    while (!answer.get("type").asText().matches("reply|error")) {
      answer = client.readJson();
    }
    return answer.get("type").asText().equals("reply");
  }
}
