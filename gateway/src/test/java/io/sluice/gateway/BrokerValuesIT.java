package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Destination;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Values at the boundary of JSON, through both brokers: docs/PROTOCOL.md, section 2. */
@Timeout(180)
final class BrokerValuesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LONG_MS = 60_000;
  private static final long INEXACT = (1L << 53) + 1;

  private static final String PROPERTIES =
      "{\"big\":\"9007199254740993\",\"least\":\"-9223372036854775808\","
          + "\"exact\":9007199254740991,\"nan\":\"NaN\",\"zero\":-0.0,\"float\":0.1,"
          + "\"text\":\"a\ufffd\\u0001\\t\\\"\"}";

  private static final String BODY =
      "{\"big\":\"9007199254740993\",\"char\":\"\ufffd\",\"bytes\":\"AP8=\","
          + "\"infinity\":\"-Infinity\",\"nothing\":null,\"a\\n\":-5}";

  private static TestNode node(TestBroker broker) {
    TestNode node =
        TestNode.start(
            TestNode.config(broker.provider(), broker.url())
                .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
                .with(TopicSettings.QUEUES_SEND, List.of(">"))
                .with(
                    BrokerSettings.FORWARD_PROPERTIES,
                    List.of("big", "least", "exact", "nan", "zero", "float", "text")));
    node.awaitReady();
    return node;
  }

  private static Message message(Session session) throws Exception {
    MapMessage message = session.createMapMessage();
    message.setLong("big", INEXACT);
    message.setChar("char", '\ud83d');
    message.setBytes("bytes", new byte[] {0, -1});
    message.setDouble("infinity", Double.NEGATIVE_INFINITY);
    message.setObject("nothing", null);
    message.setByte("a\n", (byte) -5);
    message.setLongProperty("big", INEXACT);
    message.setLongProperty("least", Long.MIN_VALUE);
    message.setLongProperty("exact", INEXACT - 2);
    message.setFloatProperty("nan", Float.NaN);
    message.setDoubleProperty("zero", -0.0);
    message.setFloatProperty("float", 0.1f);
    message.setStringProperty("text", "a\ud83d\u0001\t\"");
    return message;
  }

  private static void send(Session session, Destination to, Message message) throws Exception {
    session.createProducer(to).send(message);
  }

  private static void check(JsonNode properties, JsonNode body) throws Exception {
    assertThat(properties).isEqualTo(JSON.readTree(PROPERTIES));
    assertThat(body).isEqualTo(JSON.readTree(BODY));
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeliverEachValueWithoutLoss(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = node(broker);
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket json = node.json();
        RawWebSocket binary = node.binary()) {
      Session session = publisher.session();
      json.subscribe(1, "values");
      binary.subscribe(1, "values");
      send(session, session.createTopic("values"), message(session));

      JsonNode text = json.await("message");
      check(text.get("properties"), text.get("payload"));
      BinaryMessage frame = BinaryMessage.read(binary.readBinary());
      check(JSON.readTree(frame.properties()), JSON.readTree(frame.text()));

      json.text("{\"type\":\"consume\",\"ref\":2,\"queue\":\"values\"}");
      json.await("consuming");
      Message odd = message(session);
      odd.setJMSCorrelationIDAsBytes("\u0001\u00ff".getBytes(UTF_8));
      send(session, session.createQueue("values"), odd);
      JsonNode delivery = json.await("delivery");
      check(delivery.get("properties"), delivery.get("payload"));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldPublishWhatItDelivers(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = node(broker);
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket client = node.json()) {
      Session session = publisher.session();
      try (MessageConsumer consumer = session.createConsumer(session.createQueue("back"))) {
        client.text(
            "{\"type\":\"publish\",\"ref\":1,\"queue\":\"back\",\"encoding\":\"json\","
                + "\"payload\":{\"big\":{\"long\":\"9007199254740993\"},"
                + "\"number\":9007199254740993,\"nan\":{\"double\":\"NaN\"},\"zero\":-0.0},"
                + "\"properties\":{\"big\":\"9007199254740993\",\"least\":-9223372036854775808,"
                + "\"nan\":\"NaN\"},\"types\":{\"big\":\"long\",\"nan\":\"float\"}}");
        client.await("published");
        MapMessage read = (MapMessage) consumer.receive(LONG_MS);
        assertThat(read.getObject("big")).isEqualTo(INEXACT);
        assertThat(read.getObject("number")).isEqualTo(INEXACT);
        assertThat(read.getObject("nan")).isEqualTo(Double.NaN);
        assertThat(read.getObject("zero")).isEqualTo(-0.0);
        assertThat(read.getObjectProperty("big")).isEqualTo(INEXACT);
        assertThat(read.getObjectProperty("least")).isEqualTo(Long.MIN_VALUE);
        assertThat(read.getObjectProperty("nan")).isEqualTo(Float.NaN);
      }
      for (String invalid :
          List.of(
              "\"encoding\":\"json\",\"payload\":[1e400]",
              "\"encoding\":\"json\",\"payload\":[\"a\\ud83d\"]",
              "\"payload\":\"x\",\"properties\":{\"p\":\"\\udc00\"}",
              "\"payload\":\"x\",\"correlationId\":\"\\ud800\"",
              "\"payload\":\"x\",\"replyTo\":{\"queue\":\"\\ud800\"}")) {
        client.text("{\"type\":\"publish\",\"ref\":2,\"queue\":\"back\"," + invalid + "}");
        assertThat(client.await("error").get("code").asText()).as(invalid).isEqualTo("bad-frame");
      }
      client.text("{\"type\":\"subscribe\",\"ref\":3,\"topic\":\"a\\ud800\"}");
      assertThat(client.await("error").get("code").asText()).isEqualTo("bad-frame");
    }
  }
}
