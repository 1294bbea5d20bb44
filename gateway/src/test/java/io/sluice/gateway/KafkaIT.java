package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.testkit.KafkaProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.Switchboard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of two nodes with a real Kafka server. */
final class KafkaIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PARTITIONS = 12;
  private static final boolean FULL = Boolean.getBoolean("sluice.full");

  @TempDir private static Path folder;

  private static KafkaProcess server;
  private static KafkaTopics topics;

  private TestNode first;
  private TestNode second;

  @BeforeAll
  static void startServer() throws Exception {
    server = KafkaProcess.start(folder);
    topics = new KafkaTopics(server.server());
    topics.create("flow", PARTITIONS);
    topics.create("tiers", 4);
    topics.create("prices", 2, "cleanup.policy=compact");
    topics.create("orders", 2);
    topics.create("keys", 2);
    topics.create("short", 1);
  }

  @AfterAll
  static void stopServer() {
    topics.close();
    server.close();
  }

  @BeforeEach
  void startNodes() {
    first = TestNode.start(config("first"));
    second = TestNode.start(config("second"));
    first.awaitReady();
    second.awaitReady();
  }

  @AfterEach
  void stopNodes() {
    first.close();
    second.close();
  }

  private static Config config(String name) {
    return TestNode.unlimited(TestNode.config("artemis", ""))
        .with(AdminSettings.NODE_NAME, name)
        .with(KafkaSettings.SERVERS, List.of(server.server()))
        .with(KafkaSettings.TOPICS, List.of("flow", "tiers", "prices", "short"))
        .with(KafkaSettings.KEYED_TOPICS, List.of("orders", "keys"))
        .with(KafkaSettings.REFRESH, Duration.ofMillis(500))
        .with(HistorySettings.KEY_PROPERTIES, List.of("prices=item"))
        .with(HistorySettings.MESSAGES, 50_000)
        .with(HistorySettings.BYTES, 64L << 20)
        .with(HistorySettings.WARM, List.of("tiers"))
        .with(LinkSettings.PORT, 0)
        .with(LinkSettings.SUBSCRIBE, List.of("tiers"))
        .with(BrokerSettings.LINGER, Duration.ofSeconds(10));
  }

  private static RawWebSocket subscribed(TestNode node, String topic, JsonNode from) {
    RawWebSocket client = node.json();
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic).set("from", from);
    client.text(frame.toString());
    return client;
  }

  @Test
  void shouldLoseAndDoubleNothingForClientsThatMove() throws Exception {
    StoredFlow flow = StoredFlow.kafka(topics, "flow", PARTITIONS, FULL ? 6_000 : 2_400, 1_000);
    ClientMoves.assertExact(
        ClientMoves.to(first, second),
        "flow",
        FULL ? 20 : 8,
        FULL ? 500 : 250,
        flow,
        () -> {
          flow.awaitSent(1_000);
          server.kill();
          server.restart();
        });
  }

  @Test
  void shouldLoseAndDoubleNothingForClientsThatMoveBetweenRootsAndLeaves() throws Exception {
    try (Switchboard roots = new Switchboard(); // each new link leads to the other root
        TestNode firstLeaf = TestNode.start(leaf(roots));
        TestNode secondLeaf = TestNode.start(leaf(roots))) {
      roots.add("127.0.0.1", first.gateway().linkPort());
      roots.add("127.0.0.1", second.gateway().linkPort());
      firstLeaf.awaitReady();
      secondLeaf.awaitReady();
      StoredFlow flow = StoredFlow.kafka(topics, "tiers", 4, 2_000, 1_000);
      ClientMoves.assertExact(
          ClientMoves.to(first, second, firstLeaf, secondLeaf),
          "tiers",
          12,
          300,
          flow,
          () -> {
            for (int sent = 400; sent <= 1_600; sent += 400) {
              flow.awaitSent(sent);
              roots.cut();
            }
          });
    }
  }

  private static Config leaf(Switchboard roots) {
    return TestNode.unlimited(TestNode.config("artemis", ""))
        .with(LinkSettings.ROOTS, List.of("ws://" + roots.address()))
        .with(HistorySettings.MESSAGES, 50_000)
        .with(HistorySettings.BYTES, 64L << 20);
  }

  @Test
  void shouldReportAGapOnlyForMessagesThatTheClusterHasRemoved() throws Exception {
    JsonNode position;
    try (RawWebSocket client = first.json()) {
      JsonNode subscribed = client.subscribe(1, "short");
      topics.publish("short", null, "1");
      position = ClientPositions.position(subscribed, client.await("message"), null);
    }
    topics.publishNumbers("short", 0, 2, 1_002);
    try (RawWebSocket moved = subscribed(second, "short", position)) {
      JsonNode answer = moved.await("subscribed");
      assertThat(answer.get("recovered").asBoolean()).isTrue();
      assertThat(moved.payloads(1_000))
          .isEqualTo(IntStream.range(2, 1_002).mapToObj(String::valueOf).toList());
    }
    topics.deleteBefore("short", 0, 10);
    try (RawWebSocket moved = subscribed(second, "short", position)) {
      assertThat(moved.await("subscribed").get("recovered").asBoolean()).isFalse();
    }
  }

  @Test
  void shouldNotRecoverAPositionAcrossAKeyThatIsNoTopic() throws Exception {
    try (RawWebSocket live = first.json()) {
      JsonNode subscribed = live.subscribe(1, "keys.>");
      topics.publish("keys", "eu.5", "5");
      JsonNode position = ClientPositions.position(subscribed, live.await("message"), null);
      topics.publish("keys", "not a topic", "lost");
      assertThat(live.await("gap").get("reason").asText()).isEqualTo("unsupported");
      topics.publish("keys", "eu.6", "6");
      live.await("message");
      for (TestNode node : List.of(first, second)) { // past its log, and without one
        try (RawWebSocket resumed = subscribed(node, "keys.>", position)) {
          assertThat(resumed.await("subscribed").get("recovered").asBoolean()).isFalse();
        }
      }
    }
  }

  @Test
  void shouldServeSnapshotsOfACompactedTopic() throws Exception {
    for (String price : List.of("a=1", "b=1", "a=2", "c=1")) {
      topics.publish("prices", price.split("=")[0], price);
    }
    topics.publish("prices", "c", null);
    try (RawWebSocket client = subscribed(first, "prices", JSON.valueToTree("snapshot"))) {
      assertThat(client.await("subscribed").get("replay").asInt()).isEqualTo(2);
      assertThat(client.payloads(2)).containsExactlyInAnyOrder("a=2", "b=1");
      topics.publish("prices", "b", "b=2");
      assertThat(client.payloads(1)).containsExactly("b=2");
    }
  }

  @Test
  void shouldPublishToAKeyAndFilterByPattern() {
    try (RawWebSocket exact = first.json();
        RawWebSocket pattern = second.json();
        RawWebSocket publisher = first.json()) {
      exact.subscribe(1, "orders.eu.de");
      pattern.subscribe(1, "orders.eu.*");
      publisher.publish(1, "orders.us", "a");
      publisher.publish(2, "orders.eu.fr", "b");
      publisher.publish(3, "orders.eu.de", "c");
      assertThat(exact.payloads(1)).containsExactly("c");
      assertThat(pattern.payloads(2)).containsExactlyInAnyOrder("b", "c");
    }
  }

  @Test
  void shouldRefuseTopicsThatKafkaDoesNotServe() {
    try (RawWebSocket client = first.json()) {
      client.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"other\"}");
      JsonNode error = client.await("error");
      assertThat(error.get("code").asText()).isEqualTo("unknown-topic");
      assertThat(error.get("message").asText()).contains("kafka.topics");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'consume','ref':1,'queue':'a','credit':1} | queue",
        "{'type':'consume','ref':1,'durable':'d','topic':'a','credit':1} | topic",
        "{'type':'consume','ref':1,'shared':'d','topic':'a','credit':1} | topic",
        "{'type':'request','ref':1,'topic':'a','payload':'x'} | topic",
        "{'type':'request','ref':1,'queue':'a','payload':'x'} | queue",
        "{'type':'browse','ref':1,'queue':'a'} | queue",
        "{'type':'publish','ref':1,'queue':'a','payload':'x'} | queue",
      })
  void shouldAnswerFramesOfQueues(String frame, String destination) {
    try (RawWebSocket client = first.json()) {
      client.text(frame.replace('\'', '"'));
      JsonNode error = client.await("error");
      assertThat(error.get("code").asText()).isEqualTo("unsupported");
      assertThat(error.get("message").asText()).contains("require a JMS broker");
      assertThat(error.get(destination).asText()).isEqualTo("a");
    }
  }
}
