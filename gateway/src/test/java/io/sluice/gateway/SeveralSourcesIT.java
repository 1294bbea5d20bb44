package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.KafkaProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with a JMS broker and a Kafka server as their sources. */
@Timeout(300)
final class SeveralSourcesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int MARGIN_MS = 500;
  private static final String KAFKA_TOPIC = "orders.eu";
  private static final String JMS_TOPIC = "news";

  @TempDir private static Path folder;

  private static KafkaProcess kafka;
  private static KafkaTopics topics;
  private static TestBroker jms;
  private TestNode node;

  @BeforeAll
  static void startSources() throws Exception {
    kafka = KafkaProcess.start(folder);
    topics = new KafkaTopics(kafka.server());
    topics.create("orders", 2);
    jms = ArtemisProcess.start();
  }

  @AfterAll
  static void stopSources() throws Exception {
    jms.close();
    topics.close();
    kafka.close();
  }

  @BeforeEach
  void start() {
    node = TestNode.start(config());
    node.awaitReady();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Config config() {
    return TestNode.config("artemis", jms.url())
        .with(AdminSettings.READY_WITHOUT_BROKER, AdminSettings.READY_WITHOUT_BROKER.defaultValue())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100))
        .with(KafkaSettings.SERVERS, List.of(kafka.server()))
        .with(KafkaSettings.KEYED_TOPICS, List.of("orders"))
        .with(KafkaSettings.REFRESH, Duration.ofMillis(500))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
        .with(TopicSettings.QUEUES_SEND, List.of(">"));
  }

  private RawWebSocket subscriber(String... names) {
    RawWebSocket client = node.json();
    for (int i = 0; i < names.length; i++) {
      client.subscribe(i + 1, names[i]);
    }
    return client;
  }

  private void publish(String topic, String payload) {
    try (RawWebSocket client = node.json()) {
      assertThat(client.publish(1, topic, payload).get("type").asText()).isEqualTo("published");
    }
  }

  /** Returns the types, topics and payloads of the next frames, up to the last one. */
  private static List<String> upTo(RawWebSocket client, String last) {
    List<String> read = new ArrayList<>();
    while (!read.contains(last)) {
      JsonNode frame = client.readJson();
      String type = frame.get("type").asText();
      if (!type.equals("caught-up")) {
        String content = frame.path("topic").asText("") + ' ' + frame.path("payload").asText("");
        String sources = frame.path("sources").isMissingNode() ? "" : frame.get("sources") + "";
        read.add((type + ' ' + content.strip() + sources).strip());
      }
    }
    return read;
  }

  private static ObjectNode position(JsonNode message, JsonNode subscribed) {
    ObjectNode position = JSON.createObjectNode();
    position.set("epoch", subscribed.get("epoch"));
    position.set("offset", message.get("offset"));
    position.set("since", subscribed.get("time"));
    position.putArray("ids").add(message.get("id"));
    return position;
  }

  @Test
  void shouldResumeTopicsOfBothSourcesAtAnotherNode() {
    try (TestNode other = TestNode.start(config())) {
      other.awaitReady();
      try (RawWebSocket warm = other.json()) {
        warm.subscribe(1, KAFKA_TOPIC);
        warm.subscribe(2, JMS_TOPIC);
        await().atMost(LONG).until(() -> recovers(other, JMS_TOPIC, "jms"));
        assertThat(recovers(other, KAFKA_TOPIC, "kafka")).isTrue();
      }
    }
  }

  /** Moves a client to another node between two messages; returns whether it is recovered. */
  private boolean recovers(TestNode other, String topic, String source) {
    ObjectNode frame = JSON.createObjectNode().put("type", "subscribe").put("ref", 1);
    try (RawWebSocket client = node.json()) {
      JsonNode subscribed = client.subscribe(1, topic);
      assertThat(subscribed.get("source").asText()).isEqualTo(source);
      JsonNode message;
      do { // positions are comparable after the difference of clocks
        publish(topic, "1");
        message = client.await("message");
      } while (message.get("time").asLong() < subscribed.get("time").asLong() + 4 * MARGIN_MS);
      frame.put("topic", topic).set("from", position(message, subscribed));
    }
    publish(topic, "2");
    try (RawWebSocket client = other.json()) {
      client.text(frame.toString());
      if (!client.await("subscribed").path("recovered").asBoolean()) {
        return false;
      }
      JsonNode message;
      do { // the replay of the broker's topic may begin earlier
        message = client.readJson();
        assertThat(message.get("type").asText()).isNotEqualTo("gap");
      } while (!message.path("payload").asText().equals("2"));
      return true;
    }
  }

  @Test
  void shouldServeTheBrokerDuringAnOutageOfKafka() throws Exception {
    try (RawWebSocket client = subscriber(KAFKA_TOPIC, JMS_TOPIC);
        RawWebSocket other = subscriber(JMS_TOPIC)) {
      kafka.kill();
      assertThat(upTo(client, "stale [\"kafka\"]")).hasSize(1);
      assertThat(node.metric("sluice_broker_connected{source=\"kafka\"}")).isZero();
      assertThat(node.metric("sluice_broker_connected{source=\"jms\"}")).isEqualTo(1);
      assertThat(node.admin("/health/ready").statusCode()).isEqualTo(200);
      assertThat(node.admin("/overview").body()).contains("kafka: ").contains("jms: connected");
      publish(JMS_TOPIC, "1");
      assertThat(upTo(client, "message news 1")).hasSize(1);
      assertThat(upTo(other, "message news 1")).hasSize(1);
      notifiesNewClients("kafka");
      assertThat(node.admin("/topics").body())
          .contains("\"topic\":\"orders.eu\",\"source\":\"kafka\"")
          .contains("\"topic\":\"news\",\"source\":\"jms\"");

      kafka.restart();
      assertThat(upTo(client, "live")).containsExactly("live");
      publish(KAFKA_TOPIC, "2");
      assertThat(upTo(client, "message orders.eu 2")).hasSize(1);
    }
  }

  /** The answer to a connect is that of a connected node, because the client may use the other. */
  private void notifiesNewClients(String lost) {
    try (RawWebSocket client = node.json()) {
      client.text("{\"type\":\"connect\"}");
      assertThat(client.await("hello").get("broker").asText()).isEqualTo("up");
      client.subscribe(1, JMS_TOPIC);
      client.text("{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"" + KAFKA_TOPIC + "\"}");
      JsonNode stale = client.await("stale");
      assertThat(stale.get("sources")).singleElement().extracting(JsonNode::asText).isEqualTo(lost);
    }
  }

  @Test
  void shouldServeKafkaDuringAnOutageOfTheBroker() throws Exception {
    try (RawWebSocket client = subscriber(KAFKA_TOPIC, JMS_TOPIC);
        RawWebSocket other = subscriber(KAFKA_TOPIC)) {
      jms.kill();
      assertThat(upTo(client, "stale [\"jms\"]")).hasSize(1);
      publish(KAFKA_TOPIC, "1");
      assertThat(upTo(client, "message orders.eu 1")).hasSize(1);
      assertThat(upTo(other, "message orders.eu 1")).hasSize(1);

      jms.restart();
      assertThat(upTo(client, "live")).containsExactly("gap news", "live");
      publish(JMS_TOPIC, "2");
      assertThat(upTo(client, "message news 2")).hasSize(1);
    }
  }

  @Test
  void shouldConsumeQueuesOfTheBroker() {
    try (RawWebSocket client = subscriber(KAFKA_TOPIC)) {
      client.text("{\"type\":\"consume\",\"ref\":5,\"queue\":\"work\",\"credit\":1}");
      client.await("consuming");
      client.text("{\"type\":\"publish\",\"ref\":6,\"queue\":\"work\",\"payload\":\"job\"}");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("job");
    }
  }

  @Test
  void shouldRefuseRequestsOverKafka() {
    try (RawWebSocket client = subscriber()) {
      client.text("{\"type\":\"request\",\"ref\":7,\"topic\":\"orders.eu\",\"payload\":\"1\"}");
      assertThat(client.await("error").get("code").asText()).isEqualTo("unsupported");
    }
  }
}
