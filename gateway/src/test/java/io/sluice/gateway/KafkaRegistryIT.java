package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.testkit.KafkaProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.RegistryProcess;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of values with schemas of a real registry. The unit tests have all other cases. */
@Tag("full")
@Timeout(300)
final class KafkaRegistryIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path HOME = Path.of("target", "providers", "apicurio");

  private static final String AVRO =
      "{\"type\":\"record\",\"name\":\"Order\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"},"
          + "{\"name\":\"money\",\"type\":[\"null\",\"shop.Money\"]}]}";
  private static final String MONEY =
      "{\"type\":\"record\",\"name\":\"shop.Money\",\"fields\":[{\"name\":\"amount\",\"type\":"
          + "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}}]}";
  private static final String UNIT = "syntax = \"proto3\"; enum Unit { KG = 0; LB = 1; }";
  private static final String PROTOBUF =
      "syntax = \"proto3\"; import \"unit.proto\"; message Stock { int64 item_no = 1; Unit unit = 2; }";

  /** Refs of publishes, which those of subscriptions do not reach. */
  private static final AtomicInteger REFS = new AtomicInteger(100);

  @TempDir private static Path folder;

  private static KafkaProcess server;
  private static KafkaTopics topics;
  private static RegistryProcess registry;
  private static int order;
  private static int stock;

  @BeforeAll
  static void startServers() throws Exception {
    registry = RegistryProcess.start(HOME, folder.resolve("registry.log"));
    server = KafkaProcess.start(folder.resolve("kafka"));
    topics = new KafkaTopics(server.server());
    for (String topic : List.of("orders", "stock", "held", "plain", "gone")) {
      topics.create(topic, 1);
    }
    registry.register("money", version("AVRO", MONEY, ""));
    order = registry.register("orders-value", version("AVRO", AVRO, "shop.Money money"));
    registry.register("unit", version("PROTOBUF", UNIT, ""));
    stock = registry.register("stock-value", version("PROTOBUF", PROTOBUF, "unit.proto unit"));
  }

  private static String version(String type, String schema, String reference) {
    ObjectNode version = JSON.createObjectNode().put("schemaType", type).put("schema", schema);
    if (!reference.isEmpty()) {
      version
          .putArray("references")
          .addObject()
          .put("name", reference.split(" ")[0])
          .put("subject", reference.split(" ")[1])
          .put("version", 1);
    }
    return version.toString();
  }

  @AfterAll
  static void stopServers() {
    topics.close();
    server.close();
    registry.close();
  }

  private static TestNode node() {
    Config config =
        TestNode.unlimited(TestNode.config("artemis", ""))
            .with(KafkaSettings.SERVERS, List.of(server.server()))
            .with(KafkaSettings.TOPICS, List.of("orders", "stock", "held", "plain", "gone"))
            .with(KafkaSettings.REGISTRY_URL, registry.url())
            .with(KafkaSettings.REGISTRY_TOPICS, List.of("orders", "stock", "held", "gone"));
    TestNode node = TestNode.start(config);
    node.awaitReady();
    return node;
  }

  private static void publish(String topic, int schema, String hex) throws Exception {
    byte[] value = HexFormat.of().parseHex("00%08x%s".formatted(schema, hex));
    topics.publish(new ProducerRecord<>(topic, null, value));
  }

  private static JsonNode payload(RawWebSocket client) {
    JsonNode message = client.await("message");
    assertThat(message.path("encoding").asText()).isEqualTo("json");
    return message.get("payload");
  }

  @Test
  void shouldForwardAndPublishAvro() throws Exception {
    try (TestNode node = node();
        TestNode other = node();
        RawWebSocket client = node.json()) {
      JsonNode subscribed = client.subscribe(1, "orders");
      publish("orders", order, "36020404ce");
      JsonNode first = client.await("message");
      assertThat(first.get("payload"))
          .isEqualTo(JSON.readTree("{\"id\":27,\"money\":{\"amount\":\"12.30\"}}"));
      String published = "{\"id\":9007199254740993,\"money\":null}";
      await().until(() -> publishText(client, "orders", published).equals("published"));
      JsonNode expected = JSON.readTree("{\"id\":\"9007199254740993\",\"money\":null}");
      assertThat(publishText(client, "orders", "{\"id\":1,\"money\":{\"amount\":\"x\"}}"))
          .isEqualTo(
              "schema %d of orders-value: /money/amount must be a decimal number, not \"x\""
                  .formatted(order));

      JsonNode position = ClientPositions.position(subscribed, first, null);
      try (RawWebSocket moved = other.json()) {
        ObjectNode frame = JSON.createObjectNode().put("type", "subscribe").put("ref", 1);
        moved.text(frame.put("topic", "orders").set("from", position).toString());
        assertThat(moved.await("subscribed").get("recovered").asBoolean()).isTrue();
        assertThat(payload(moved)).isEqualTo(expected);
      }
    }
  }

  /** Returns the type of the answer, or the message of an error. */
  private static String publishText(RawWebSocket client, String topic, String text) {
    int ref = REFS.incrementAndGet();
    ObjectNode frame = JSON.createObjectNode().put("type", "publish").put("ref", ref);
    client.text(frame.put("topic", topic).put("payload", text).toString());
    JsonNode answer = client.readJson();
    while (answer.path("ref").asInt() != ref) {
      answer = client.readJson();
    }
    return answer.path("message").asText(answer.get("type").asText());
  }

  @Test
  void shouldForwardAndPublishProtobuf() throws Exception {
    try (TestNode node = node();
        RawWebSocket client = node.json()) {
      client.subscribe(1, "stock");
      publish("stock", stock, "0008051001");
      JsonNode expected = JSON.readTree("{\"itemNo\":\"5\",\"unit\":\"LB\"}");
      assertThat(payload(client)).isEqualTo(expected);
      try (RawWebSocket publisher = node.json()) {
        await()
            .until(() -> publishText(publisher, "stock", expected.toString()).equals("published"));
        assertThat(payload(client)).isEqualTo(expected);
        assertThat(publishText(publisher, "stock", "{\"item\":5}"))
            .isEqualTo("schema %d of stock-value: /item is no field of Stock".formatted(stock));
      }
    }
  }

  @Test
  void shouldReadRecordsOfADeletedSubject() throws Exception {
    String part =
        "{\"type\":\"record\",\"name\":\"shop.Part\",\"fields\":[{\"name\":\"no\",\"type\":\"int\"}]}";
    String gone =
        "{\"type\":\"record\",\"name\":\"Gone\",\"fields\":[{\"name\":\"of\",\"type\":\"shop.Part\"}]}";
    registry.register("part", version("AVRO", part, ""));
    int schema = registry.register("gone-value", version("AVRO", gone, "shop.Part part"));
    registry.delete("gone-value");
    try (TestNode node = node();
        RawWebSocket client = node.json()) {
      client.subscribe(1, "gone");
      publish("gone", schema, "0a");
      assertThat(payload(client)).isEqualTo(JSON.readTree("{\"of\":{\"no\":5}}"));
      await()
          .until(
              () -> publishText(client, "gone", "{\"of\":{\"no\":5}}"),
              "gone-value: the registry has no such subject, and the node uses TopicNameStrategy only"
                  ::equals);
    }
  }

  @Test
  void shouldHoldATopicDuringAnOutageOfTheRegistry() throws Exception {
    try (TestNode node = node();
        RawWebSocket held = node.json();
        RawWebSocket plain = node.json()) {
      held.subscribe(1, "held");
      plain.subscribe(1, "plain");
      registry.pause();
      publish("held", order, "3600");
      publish("held", 9_999, "3600");
      publish("held", order, "3800");
      topics.publish("plain", null, "text");
      assertThat(plain.payloads(1)).containsExactly("text");
      await()
          .until(
              () -> node.admin("/health/ready").body(),
              body -> body.contains("1 topic waits for the schema registry"));
      registry.resume();
      assertThat(payload(held)).isEqualTo(JSON.readTree("{\"id\":27,\"money\":null}"));
      assertThat(held.await("gap").get("reason").asText()).isEqualTo("unsupported");
      assertThat(payload(held)).isEqualTo(JSON.readTree("{\"id\":28,\"money\":null}"));
    }
  }
}
