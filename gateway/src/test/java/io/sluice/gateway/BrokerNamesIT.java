package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.CompressedFrames;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.MessageConsumer;
import jakarta.jms.TextMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Names of topics and queues that only the broker accepts: docs/PROTOCOL.md, section 2. */
@Timeout(180)
final class BrokerNamesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PATTERN = "plant.>";
  private static final String HEALTHY = "plant.temp";

  /** Names that a client cannot subscribe to. */
  private static final List<String> INVALID =
      List.of(
          "plant.v1\\.2.temp",
          "plant.a\\b",
          "plant.a\tb",
          "plant.a\nb",
          "plant.a\u0000b",
          "plant.a b",
          "plant.a\u00a0b",
          "plant.a/b",
          "plant.a\u007fb",
          "plant.a\u0085b",
          "plant..b",
          "plant.b.",
          "plant." + "n".repeat(300),
          "plant" + ".n".repeat(20),
          "plant.a\ud83db",
          "plant.\ude00\ud83d");

  /** Names that clients can use, although JSON or other systems treat them specially. */
  private static final List<String> VALID =
      List.of(HEALTHY, "plant.a\"b", "plant.\ud83d\ude00", "plant.a'b");

  private static String subscribe(String members) {
    return "{\"type\":\"subscribe\",\"ref\":7,\"topic\":\"" + PATTERN + "\"" + members + "}";
  }

  /** Client that reads until a payload, whatever the encoding. */
  private static final class Client implements AutoCloseable {
    private final String name;
    private final RawWebSocket socket;
    private final CompressedFrames compressed = new CompressedFrames();
    private int gaps;
    private boolean afterGap;

    /** Number of messages directly after one or more gaps, in JSON. */
    private int healthyAfterGap;

    private final List<String> topics = new ArrayList<>();

    Client(String name, RawWebSocket socket) {
      this.name = name;
      this.socket = socket;
    }

    static Client of(String name, RawWebSocket socket, String... frames) {
      for (String frame : frames) {
        socket.text(frame);
      }
      return new Client(name, socket);
    }

    void awaitSubscribed() {
      socket.await("subscribed");
    }

    /** Reads everything up to a message with this payload, which is the last one of the test. */
    void readUntil(String payload) throws Exception {
      while (true) {
        ServerFrame frame = socket.readMessage();
        assertThat(frame).as(name).isNotNull();
        byte[] content = frame.payload();
        boolean text = frame.opcode() == 1;
        if (!text && CompressedFrames.isCompressed(content)) {
          CompressedFrames.Content decoded = compressed.decode(content);
          text = decoded.text();
          content = decoded.payload();
        }
        if (text ? isText(content, payload) : BinaryMessage.read(content).text().equals(payload)) {
          return;
        }
      }
    }

    private boolean isText(byte[] utf8, String payload) throws Exception {
      JsonNode json = JSON.readTree(utf8);
      assertThat(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString())
          .isNotNull();
      switch (json.get("type").asText()) {
        case "gap" -> {
          assertThat(json.get("reason").asText()).isEqualTo("unsupported");
          assertThat(json.get("topic").asText()).isEqualTo(PATTERN);
          gaps++;
          afterGap = true;
        }
        case "message", "channel" -> {
          topics.add(json.get("topic").asText());
          healthyAfterGap += afterGap ? 1 : 0;
          afterGap = false;
        }
        default -> assertThat(json.get("type").asText()).isIn("caught-up", "subscribed");
      }
      return json.has("payload") && json.get("payload").asText().equals(payload);
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static List<Client> clients(TestNode node) {
    String connect = "{\"type\":\"connect\",\"compressed\":true}";
    return List.of(
        Client.of("json", node.json(), subscribe("")),
        Client.of("binary", node.binary(), subscribe("")),
        Client.of("compressed", node.json(), connect, subscribe("")),
        Client.of("compressed binary", node.binary(), connect, subscribe("")),
        Client.of("deflated", node.request().deflate().open(), subscribe("")),
        Client.of("tagged", node.json(), subscribe(",\"tagged\":true")),
        Client.of("tagged binary", node.binary(), subscribe(",\"tagged\":true")),
        Client.of("latest", node.json(), subscribe(",\"delivery\":\"latest\",\"tagged\":true")),
        new Client("stream", node.stream(subscribe("")).open()),
        new Client("binary stream", node.binaryStream(subscribe("")).open()));
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportTopicsThatNoClientCanUse(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(TestNode.config(broker.provider(), broker.url()));
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      node.awaitReady();
      List<Client> clients = clients(node);
      clients.forEach(Client::awaitSubscribed);

      for (int i = 0; i < INVALID.size(); i++) {
        publisher.text(INVALID.get(i), "of an invalid topic");
        publisher.text(INVALID.get(i), "of an invalid topic");
        publisher.text(VALID.get(i % VALID.size()), "healthy");
      }
      publisher.text(HEALTHY, "end");

      for (Client client : clients) {
        client.readUntil("end");
        assertThat(client.gaps).as(client.name).isPositive();
        assertThat(VALID).as(client.name).containsAll(client.topics);
        if (client.name.equals("json")) {
          assertThat(client.topics).containsAll(VALID);
          assertThat(client.healthyAfterGap).isEqualTo(INVALID.size());
        }
        client.close();
      }
      assertThat(node.metric("sluice_drops_total{cause=\"invalid-topic\"}"))
          .isEqualTo(2 * INVALID.size());
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldNotTakeAnEscapedDotForLevels(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(TestNode.config(broker.provider(), broker.url()));
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket client = node.json()) {
      node.awaitReady();
      for (String pattern : List.of("mqtt.*", "mqtt.*.temp", "mqtt.v1.2.temp", "mqtt.>")) {
        client.subscribe(pattern.length(), pattern);
      }
      publisher.text("mqtt.v1\\.2.temp", "of an invalid topic");
      publisher.text("mqtt.v1\\.2", "of an invalid topic");
      publisher.text("mqtt.end", "end");
      // To Artemis an escaped dot is a part of a level, to Classic it separates levels.
      List<String> expected =
          provider.equals("artemis")
              ? List.of("mqtt.*", "mqtt.*.temp", "mqtt.>")
              : List.of("mqtt.>");
      Set<String> gaps = new TreeSet<>();
      boolean ended = false; // the end of one pattern may precede the gap of another
      while (!ended || !gaps.containsAll(expected)) {
        JsonNode frame = client.readJson();
        if (frame.get("type").asText().equals("message")) {
          assertThat(frame.get("payload").asText()).isEqualTo("end");
          ended = true;
        } else {
          gaps.add(frame.path("topic").asText());
        }
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldRespondToAReplyDestinationThatNoClientCanUse(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                TestNode.config(broker.provider(), broker.url()),
                TopicSettings.QUEUES_CONSUME,
                List.of(">"));
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket client = node.json()) {
      node.awaitReady();
      client.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"requests\"}");
      client.await("consuming");

      MessageConsumer answers =
          publisher.session().createConsumer(publisher.session().createQueue("answers a\tb"));
      TextMessage request = publisher.session().createTextMessage("?");
      request.setJMSReplyTo(publisher.session().createQueue("answers a\tb"));
      request.setJMSType("type\n\u0000\ud83d");
      publisher.session().createProducer(publisher.session().createQueue("requests")).send(request);
      JsonNode delivery = client.await("delivery");
      assertThat(delivery.get("replyTo").get("queue").asText()).isEqualTo("answers a\tb");
      assertThat(delivery.get("messageType").asText()).isEqualTo("type\n\u0000\ufffd");
      client.text(
          "{\"type\":\"respond\",\"ref\":2,\"subscription\":1,\"tag\":1,\"payload\":\"!\"}");
      client.await("published");

      TextMessage reply = (TextMessage) answers.receive(60_000);
      assertThat(reply.getText()).isEqualTo("!");
    }
  }
}
