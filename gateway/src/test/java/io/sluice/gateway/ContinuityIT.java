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
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/** Clients that come back, to the same node of a real broker or to another one. */
final class ContinuityIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** More than three margins, after which a log is evidence for a position without a time. */
  private static final long SETTLED_MS = 4_000;

  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(BrokerSettings.LINGER, Duration.ofMinutes(1))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(1))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100));
  }

  private static RawWebSocket subscribed(TestNode node, String topic, JsonNode from) {
    RawWebSocket client = node.json();
    subscribe(client, topic, from);
    return client;
  }

  private static long time(JsonNode frame) {
    return frame.get("time").asLong();
  }

  private static void subscribe(RawWebSocket client, String topic, JsonNode from) {
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic).set("from", from);
    client.text(frame.toString());
  }

  @ParameterizedTest
  @EachBroker
  void shouldReplayMissedMessagesOnTheSameNode(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      JsonNode subscribed;
      JsonNode first;
      try (RawWebSocket client = node.json()) {
        subscribed = client.subscribe(1, "same");
        publisher.text("same", "1");
        first = client.await("message");
      }
      publisher.text("same", "2");
      publisher.text("same", "3");
      try (RawWebSocket back = subscribed(node, "same", position(subscribed, first, null))) {
        assertThat(back.await("subscribed").get("recovered").asBoolean()).isTrue();
        publisher.text("same", "4");
        assertThat(back.payloads(3)).containsExactly("2", "3", "4");
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldDistinguishMessagesWithoutMessageIds(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode first = TestNode.start(config(broker));
        TestNode second = TestNode.start(config(broker));
        RawWebSocket here = first.json();
        RawWebSocket there = second.json();
        TestPublisher publisher = new TestPublisher(provider, broker.url()).nameless()) {
      here.subscribe(1, "nameless");
      there.subscribe(1, "nameless");
      for (int i = 0; i < 50; i++) {
        publisher.text("nameless", "alike");
      }
      List<String> ids = ids(here, 50);
      assertThat(ids).doesNotHaveDuplicates();
      boolean hasIds = provider.equals("classic"); // whose client sends them nevertheless
      assertThat(ids(there, 50).equals(ids)).as("on every node the same").isEqualTo(hasIds);
    }
  }

  private static List<String> ids(RawWebSocket client, int count) {
    List<String> ids = new ArrayList<>();
    while (ids.size() < count) {
      ids.add(client.await("message").get("id").asText());
    }
    return ids;
  }

  @ParameterizedTest
  @EachBroker
  void shouldReplayMissedMessagesOnAnotherNode(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode first = TestNode.start(config(broker));
        TestNode second = TestNode.start(config(broker));
        RawWebSocket holder = second.json();
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      long heldMs = time(caughtUpSince(holder, time(holder.subscribe(1, "other"))));
      JsonNode busy;
      JsonNode quiet;
      try (RawWebSocket client = first.json()) {
        JsonNode subscribed = client.subscribe(1, "other");
        caughtUpSince(client, Math.max(heldMs, time(subscribed)) + SETTLED_MS);
        publisher.text("other", "1");
        JsonNode message = client.await("message");
        busy = position(subscribed, message, null);
        JsonNode caughtUp = caughtUpSince(client, time(message) + 2_000);
        quiet = position(subscribed, null, caughtUp);
      }
      publisher.text("other", "2");
      publisher.text("other", "3");
      holder.await("message");
      try (RawWebSocket moved = subscribed(second, "other", busy)) {
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).as("by id").isTrue();
        assertThat(moved.payloads(3)).containsExactly("1", "2", "3");
      }
      try (RawWebSocket moved = subscribed(second, "other", quiet)) {
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).as("by time").isTrue();
        assertThat(moved.payloads(2)).containsExactly("2", "3");
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportAGapForMessagesOutOfRetention(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        TestNode fresh = TestNode.start(config(broker))) {
      JsonNode here;
      try (RawWebSocket client = node.json();
          TestPublisher publisher = new TestPublisher(provider, broker.url())) {
        JsonNode subscribed = client.subscribe(1, "told");
        publisher.text("told", "1");
        here = position(subscribed, client.await("message"), null);
      }
      try (RawWebSocket moved = subscribed(fresh, "told", here)) {
        JsonNode answer = moved.await("subscribed");
        assertThat(answer.get("recovered").asBoolean()).as("on a fresh node").isFalse();
      }
      broker.kill();
      broker.restart();
      node.awaitReady();
      try (RawWebSocket back = subscribed(node, "told", here)) {
        JsonNode answer = back.await("subscribed");
        assertThat(answer.get("recovered").asBoolean()).as("after the broker's loss").isFalse();
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldHaveSnapshotsOfPreSubscribedTopicsForTheFirstClient(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                config(broker)
                    .with(HistorySettings.WARM, List.of("warm.>"))
                    .with(HistorySettings.KEY_PROPERTIES, List.of("warm.orders=orderId")));
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      node.awaitReady();
      for (String order : List.of("a", "b", "a")) {
        var message = publisher.session().createTextMessage(order);
        message.setStringProperty("orderId", order);
        publisher.send("warm.orders", message);
      }
      publisher.text("warm.state", "one");
      publisher.text("warm.state", "two");
      await().until(() -> node.metric("sluice_messages_in_total") >= 5);
      try (RawWebSocket client = node.json()) {
        subscribe(client, "warm.state", JSON.valueToTree("snapshot"));
        assertThat(client.await("subscribed").get("replay").asInt()).isEqualTo(1);
        assertThat(client.payloads(1)).containsExactly("two");
        subscribe(client, "warm.orders", JSON.valueToTree("snapshot"));
        assertThat(client.payloads(2)).containsExactly("b", "a");
        publisher.text("warm.state", "three");
        assertThat(client.payloads(1)).containsExactly("three");
      }
    }
  }
}
