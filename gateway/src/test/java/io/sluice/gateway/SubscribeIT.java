package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.BytesMessage;
import jakarta.jms.MapMessage;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Subscriptions of clients: docs/PROTOCOL.md, sections 3 to 5. */
final class SubscribeIT {
  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config(broker.provider(), broker.url()),
            BrokerSettings.FORWARD_PROPERTIES,
            List.of("symbol"));
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  @Test
  void shouldSendHelloFirstAndMessagesAfterTheAnswer() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"hello.1\"}");
      JsonNode hello = client.readJson();
      assertThat(hello.get("type").asText()).isEqualTo("hello");
      assertThat(hello.get("node").asText()).isEqualTo("test-node");
      assertThat(hello.get("broker").asText()).isEqualTo("up");
      assertThat(hello.get("limits").get("subscriptions").asInt()).isEqualTo(1000);
      JsonNode subscribed = client.readJson();
      assertThat(subscribed.get("type").asText()).isEqualTo("subscribed");
      assertThat(subscribed.get("ref").asInt()).isEqualTo(1);
      assertThat(subscribed.has("channel")).isFalse();

      publisher.text("hello.1", "TS=1 \"quoted\" \u20ac");
      JsonNode message = client.readJson();
      assertThat(message.get("type").asText()).isEqualTo("message");
      assertThat(message.get("topic").asText()).isEqualTo("hello.1");
      assertThat(message.get("offset").asLong()).isEqualTo(subscribed.get("offset").asLong() + 1);
      assertThat(message.get("payload").asText()).isEqualTo("TS=1 \"quoted\" \u20ac");
      assertThat(message.get("id").asText()).matches("[0-9a-f]{16}");
    }
  }

  @Test
  void shouldAnswerAFirstFrameSentTogetherWithTheHandshake() {
    byte[] first = ClientFrame.text("{\"type\":\"ping\",\"ref\":1}").bytes();
    try (RawWebSocket client =
        node.request().subprotocols(Encoding.JSON_SUBPROTOCOL).firstBytes(first).open()) {
      assertThat(client.readJson().get("type").asText()).isEqualTo("hello");
      assertThat(client.readJson().get("type").asText()).isEqualTo("pong");
    }
  }

  @Test
  void shouldServeAClientThatOffersNoSubprotocolInJson() {
    try (RawWebSocket client = node.request().open()) {
      assertThat(client.header("Sec-WebSocket-Protocol")).isNull();
      assertThat(client.subscribe(1, "plain.1").get("topic").asText()).isEqualTo("plain.1");
    }
  }

  @Test
  void shouldSendTheSameMessageInBothEncodingsAndCompressed() throws Exception {
    try (RawWebSocket json = node.json();
        RawWebSocket binary = node.binary();
        RawWebSocket deflated =
            node.request().subprotocols(Encoding.BINARY_SUBPROTOCOL).deflate().open()) {
      json.subscribe(1, "both");
      int channel = binary.subscribe(1, "both").get("channel").asInt();
      deflated.subscribe(1, "both");
      String payload = "TS=1 SEQ=1 " + "x".repeat(500);
      TextMessage message = publisher.session().createTextMessage(payload);
      message.setStringProperty("symbol", "ACME");
      publisher.send("both", message);

      JsonNode text = json.readJson();
      BinaryMessage plain = BinaryMessage.read(binary.readBinary());
      BinaryMessage inflated = BinaryMessage.read(deflated.readBinary());
      assertThat(inflated).isEqualTo(plain);
      assertThat(plain.text()).isEqualTo(payload).isEqualTo(text.get("payload").asText());
      assertThat(plain.channel()).isEqualTo(channel);
      assertThat(plain.offset()).isEqualTo(text.get("offset").asLong());
      assertThat(HexFormat.of().toHexDigits(plain.id())).isEqualTo(text.get("id").asText());
      assertThat(plain.time()).isEqualTo(text.get("time").asLong() & 0xffffffffL);
      assertThat(plain.properties()).isEqualTo(text.get("properties").toString());
    }
  }

  @Test
  void shouldForwardBytesAndMaps() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "kinds.>");
      BytesMessage bytes = publisher.session().createBytesMessage();
      bytes.writeBytes(new byte[] {0, -1, 16});
      publisher.send("kinds.bytes", bytes);
      MapMessage map = publisher.session().createMapMessage();
      map.setLong("quantity", 5);
      publisher.send("kinds.map", map);
      publisher.send("kinds.object", publisher.session().createObjectMessage("x"));

      JsonNode first = client.await("message");
      assertThat(first.get("encoding").asText()).isEqualTo("base64");
      assertThat(Base64.getDecoder().decode(first.get("payload").asText()))
          .containsExactly(0, -1, 16);
      JsonNode second = client.await("message");
      assertThat(second.get("encoding").asText()).isEqualTo("json");
      assertThat(second.get("payload").get("quantity").asInt()).isEqualTo(5);
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("unsupported");
    }
  }

  @Test
  void shouldAnnounceTheChannelsOfAPatternToOldAndNewSubscribers() throws Exception {
    try (RawWebSocket first = node.binary();
        RawWebSocket second = node.binary()) {
      assertThat(first.subscribe(1, "pattern.>").has("channel")).isFalse();
      publisher.text("pattern.a", "one");
      JsonNode announced = first.await("channel");
      assertThat(announced.get("pattern").asText()).isEqualTo("pattern.>");
      assertThat(announced.get("topic").asText()).isEqualTo("pattern.a");
      BinaryMessage message = BinaryMessage.read(first.readBinary());
      assertThat(message.channel()).isEqualTo(announced.get("channel").asInt());

      second.subscribe(1, "pattern.>");
      assertThat(second.readJson()).isEqualTo(announced);
      publisher.text("pattern.b.c", "two");
      assertThat(second.readJson().get("topic").asText()).isEqualTo("pattern.b.c");
      assertThat(BinaryMessage.read(second.readBinary()).offset()).isEqualTo(message.offset() + 1);
    }
  }

  @Test
  void shouldDeliverOverlappingSubscriptionsSeparately() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "overlap.1");
      client.subscribe(2, "overlap.*");
      publisher.text("overlap.1", "x");
      List<JsonNode> both = List.of(client.await("message"), client.await("message"));
      assertThat(both)
          .extracting(message -> message.path("pattern").asText(""))
          .containsExactlyInAnyOrder("", "overlap.*");
      assertThat(both.get(0).get("id")).isEqualTo(both.get(1).get("id"));
    }
  }

  @Test
  void shouldSendNothingAfterUnsubscribed() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "stop.1");
      client.text("{\"type\":\"unsubscribe\",\"ref\":2,\"topic\":\"stop.1\"}");
      assertThat(client.await("unsubscribed").get("ref").asInt()).isEqualTo(2);
      client.subscribe(3, "stop.2");
      publisher.text("stop.1", "no");
      publisher.text("stop.2", "yes");
      assertThat(client.await("message").get("payload").asText()).isEqualTo("yes");
    }
  }

  @Test
  void shouldPublishTextBytesAndBinaryFrames() {
    try (RawWebSocket json = node.json();
        RawWebSocket binary = node.binary()) {
      json.subscribe(1, "chat.1");
      binary.publish(2, "chat.1", "h\u00e9llo");
      assertThat(json.await("message").get("payload").asText()).isEqualTo("h\u00e9llo");
      json.text(
          "{\"type\":\"publish\",\"ref\":3,\"topic\":\"chat.1\",\"payload\":\"AP8Q\","
              + "\"encoding\":\"base64\",\"properties\":{\"symbol\":\"ACME\"}}");
      JsonNode bytes = json.await("message");
      assertThat(bytes.get("payload").asText()).isEqualTo("AP8Q");
      assertThat(bytes.get("properties").get("symbol").asText()).isEqualTo("ACME");

      binary.binary(HexFormat.of().parseHex("02000000090006636861742e3168656c6c6f"));
      assertThat(binary.await("published").get("ref").asInt()).isEqualTo(9);
      assertThat(json.await("message").get("payload").asText()).isEqualTo("hello");
    }
  }

  @Test
  void shouldAnswerWebSocketPingsBetweenMessages() {
    try (RawWebSocket client = node.json()) {
      client.ping("are you there");
      ServerFrame pong = client.readFrame();
      assertThat(pong.opcode()).isEqualTo(ClientFrame.PONG);
      assertThat(new String(pong.payload(), StandardCharsets.UTF_8)).isEqualTo("are you there");
    }
  }

  @Test
  void shouldCountFramesMessagesAndClients() throws Exception {
    try (RawWebSocket client = node.json()) {
      client.subscribe(1, "metered");
      double before = node.metric("sluice_frames_out_total");
      publisher.text("metered", "x");
      client.await("message");
      await()
          .untilAsserted(
              () -> {
                assertThat(node.metric("sluice_frames_out_total")).isGreaterThan(before);
                assertThat(node.metric("sluice_fanout_latency_seconds_count")).isPositive();
                assertThat(node.metric("sluice_connections")).isPositive();
                assertThat(node.metric("sluice_subscriptions")).isPositive();
                assertThat(node.metric("sluice_broker_connected{source=\"jms\"}")).isEqualTo(1);
              });
    }
  }
}
