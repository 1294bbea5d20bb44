package io.sluice.gateway;

import static io.sluice.gateway.ClientPositions.caughtUpSince;
import static io.sluice.gateway.ClientPositions.position;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/** Subscriptions with a JMS selector at real brokers. */
final class SelectorIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MANY = 300;

  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.LINGER, Duration.ofSeconds(10))
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(1));
  }

  private static void send(RawWebSocket client, long ref, String topic, String where, Object from) {
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", ref).put("topic", topic).put("tagged", true);
    frame.put("where", where).putPOJO("from", from);
    client.text(frame.toString());
  }

  private static JsonNode subscribe(RawWebSocket client, long ref, String topic, String where) {
    return subscribe(client, ref, topic, where, "now");
  }

  private static JsonNode subscribe(
      RawWebSocket client, long ref, String topic, String where, Object from) {
    send(client, ref, topic, where, from);
    JsonNode answer = client.await("subscribed");
    assertThat(answer.get("ref").asLong()).isEqualTo(ref);
    assertThat(answer.get("tagged").asBoolean()).isTrue();
    return answer;
  }

  private static void publish(TestPublisher publisher, String topic, String payload, String region)
      throws JMSException {
    TextMessage message = publisher.session().createTextMessage(payload);
    message.setStringProperty("region", region);
    message.setIntProperty("price", payload.length());
    message.setJMSType("quote");
    publisher.send(topic, message);
  }

  /** Returns ref and payload of the next messages, sorted, because refs are independent. */
  private static List<String> messages(RawWebSocket client, int count) {
    List<String> messages = new ArrayList<>();
    while (messages.size() < count) {
      JsonNode message = client.await("message");
      messages.add(message.path("ref").asLong() + " " + message.get("payload").asText());
    }
    messages.sort(null);
    return messages;
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldSelectInTheNodeAndReceiveATopicOnce(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket first = node.json();
        RawWebSocket second = node.json();
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      subscribe(first, 1, "quotes.7", "region = 'EU'");
      subscribe(first, 2, "quotes.7", "region = 'US' OR region = 'O''Hare'");
      subscribe(second, 1, "quotes.7", "region = 'EU'");
      second.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"quotes.7\"}");
      second.await("subscribed");
      assertThat(broker.consumers("quotes.7"))
          .as("one for all selectors, and for none")
          .isEqualTo(1);
      String quotes = "price > 1 AND JMSType = 'quote' AND region LIKE 'E%'";
      subscribe(first, 3, "quotes.*", quotes);

      publish(publisher, "quotes.7", "a", "EU");
      publish(publisher, "quotes.7", "bb", "US");
      publish(publisher, "quotes.7", "ccc", "EU");
      publish(publisher, "quotes.8", "dddd", "EU");
      publish(publisher, "quotes.7", "eeeee", "O'Hare");
      assertThat(messages(first, 6))
          .containsExactly("1 a", "1 ccc", "2 bb", "2 eeeee", "3 ccc", "3 dddd");
      assertThat(messages(second, 6).stream().filter(message -> message.startsWith("1 ")))
          .containsExactly("1 a", "1 ccc");

      try (RawWebSocket late = node.json()) {
        JsonNode answer = subscribe(late, 9, "quotes.*", quotes, "snapshot");
        assertThat(answer.get("replay").asInt()).isEqualTo(2);
        assertThat(messages(late, 2)).containsExactly("9 ccc", "9 dddd");
        subscribe(late, 10, "quotes.7", "JMSDeliveryMode = 'PERSISTENT'");
        subscribe(late, 11, "quotes.7", "JMSPriority > 4 AND missing IS NULL");
        publisher.persistent();
        publish(publisher, "quotes.7", "f", "JP");
        assertThat(messages(late, 1)).containsExactly("10 f");
      }
      checkRefusals(node, publisher);
    }
  }

  private static void checkRefusals(TestNode node, TestPublisher publisher) throws Exception {
    int longest = LimitSettings.SELECTOR_LENGTH.defaultValue();
    String nested = "(".repeat(longest / 2 - 4) + "1 = 1" + ")".repeat(longest / 2 - 4);
    List<String> invalid =
        List.of("price >", "region = 'EU", "price 1", "x LIKE 1", ") OR (", nested + ")");
    try (RawWebSocket client = node.json()) {
      subscribe(client, 1, "kept", "region = 'EU'");
      for (String where : invalid) {
        send(client, 2, "kept", where, "now");
        JsonNode error = client.await("error");
        assertThat(error.get("code").asText()).as(where).isEqualTo("invalid-selector");
        assertThat(error.get("ref").asInt()).isEqualTo(2);
        assertThat(error.get("topic").asText()).isEqualTo("kept");
        assertThat(error.get("message").asText()).hasSizeBetween(30, 600);
      }
      send(client, 2, "kept", "region = '" + "x".repeat(longest) + "'", "now");
      assertThat(client.await("error").get("message").asText()).contains("limits.selector-length");
      subscribe(
          client, 2, "kept", "region = '" + "x".repeat(longest - "region = ''".length()) + "'");
      publish(publisher, "kept", "after", "EU");
      assertThat(messages(client, 1)).containsExactly("1 after");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldResumeAtAnyNodeThatHasTheSelector(String provider) throws Exception {
    String where = "region = 'EU'";
    try (TestBroker broker = TestBroker.start(provider);
        TestNode first = TestNode.start(config(broker));
        TestNode second = TestNode.start(config(broker));
        RawWebSocket holder = second.json();
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      subscribe(holder, 1, "move", where);
      holder.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"plain\"}");
      holder.await("subscribed");
      JsonNode quiet;
      JsonNode other;
      JsonNode same;
      try (RawWebSocket client = first.json()) {
        JsonNode subscribed = subscribe(client, 1, "move", where);
        JsonNode unknown = subscribe(client, 2, "plain", where);
        publish(publisher, "move", "not selected", "US");
        // Nothing is selected, hence only canaries prove the delivery.
        JsonNode caughtUp = caughtUpSince(client, subscribed.get("time").asLong() + 2_500);
        quiet = position(subscribed, null, caughtUp);
        other = position(unknown, null, caughtUp);
        caughtUpSince(holder, caughtUp.get("time").asLong());
        publish(publisher, "move", "1", "EU");
        same = position(subscribed, client.await("message"), null);
      }
      publish(publisher, "move", "skipped", "US");
      publish(publisher, "move", "2", "EU");
      assertThat(messages(holder, 2)).containsExactly("1 1", "1 2");
      try (RawWebSocket back = first.json()) {
        JsonNode answer = subscribe(back, 1, "move", where, same);
        assertThat(answer.get("recovered").asBoolean()).isTrue();
        assertThat(messages(back, 1)).containsExactly("1 2");
      }
      try (RawWebSocket moved = second.json()) {
        JsonNode answer = subscribe(moved, 1, "move", where, quiet);
        assertThat(answer.get("recovered").asBoolean()).isTrue();
        assertThat(messages(moved, 2)).containsExactly("1 1", "1 2");
        answer = subscribe(moved, 2, "plain", where, other);
        assertThat(answer.get("recovered").asBoolean())
            .as("the log of all messages does not serve a selector that is new to the node")
            .isFalse();
        answer = subscribe(moved, 3, "move", "region = 'US'", same);
        assertThat(answer.get("recovered").asBoolean()).as("of another selector").isFalse();
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportTheLossOfTheBroker(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      subscribe(client, 1, "lost", "region = 'EU'");
      subscribe(client, 2, "lost", "region = 'US'");
      broker.kill();
      client.await("stale");
      broker.restart();
      List<Long> gaps = new ArrayList<>();
      while (gaps.size() < 2) {
        JsonNode gap = client.await("gap");
        assertThat(gap.get("reason").asText()).isEqualTo("broker-lost");
        gaps.add(gap.get("ref").asLong());
      }
      assertThat(gaps).containsExactlyInAnyOrder(1L, 2L);
      await().until(() -> node.metric("sluice_broker_connected{source=\"jms\"}") == 1);
      assertThat(broker.consumers("lost")).isEqualTo(1);
      try (TestPublisher publisher = new TestPublisher(provider, broker.url())) {
        publish(publisher, "lost", "a", "US");
        publish(publisher, "lost", "b", "EU");
        assertThat(messages(client, 2)).containsExactly("1 b", "2 a");
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReceiveEachMessageOnceForManySelectors(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker).with(LimitSettings.SELECTORS, MANY));
        RawWebSocket client = node.json();
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      for (int i = 0; i < MANY; i++) {
        subscribe(client, i, "many", "price >= " + i);
      }
      send(client, MANY, "many", "price >= " + MANY, "now");
      assertThat(client.await("error").get("code").asText()).isEqualTo("too-many-subscriptions");
      assertThat(broker.consumers("many")).isEqualTo(1);
      double before = node.metric("sluice_messages_in_total");
      publish(publisher, "many", "x".repeat(MANY - 1), "EU");
      publish(publisher, "many", "", "EU");
      assertThat(messages(client, MANY + 1)).hasSize(MANY + 1);
      assertThat(node.metric("sluice_messages_in_total") - before).isEqualTo(2);
    }
  }

  /**
   * Wildcards and comparisons of other types that made brokers refuse the messages of others: by an
   * overflow of their stack, or by an exception at Classic.
   */
  @ParameterizedTest
  @EachBroker
  void shouldProtectPublishersFromSelectors(String provider) throws Exception {
    String wildcards = "region LIKE '" + "%".repeat(2_000) + "_" + "%".repeat(2_000) + "'";
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                config(broker)
                    .with(TopicSettings.QUEUES_CONSUME, List.of("q"))
                    .with(TopicSettings.QUEUES_BROWSE, List.of("q")));
        RawWebSocket client = node.json();
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      subscribe(client, 1, "kept", wildcards);
      subscribe(client, 2, "kept", "region + 1 > 0 OR region - 1 > 0");
      client.text(frame("consume", 3, wildcards).put("credit", 1).toString());
      client.await("consuming");
      String region = "E".repeat(10_000);
      publish(publisher, "kept", "a", region);
      TextMessage queued = publisher.session().createTextMessage("b");
      queued.setStringProperty("region", region);
      publisher.session().createProducer(publisher.session().createQueue("q")).send(queued);
      assertThat(messages(client, 1)).containsExactly("1 a");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("b");
      client.text(frame("browse", 4, wildcards).toString());
      client.await("browsed");
      client.text(frame("browse", 5, "a = 1" + " OR a = 1".repeat(250)).toString());
      assertThat(client.await("error").get("message").asText())
          .contains("500 operators, at character");
    }
  }

  private static ObjectNode frame(String type, long ref, String where) {
    ObjectNode frame = JSON.createObjectNode();
    return frame.put("type", type).put("ref", ref).put("queue", "q").put("where", where);
  }
}
