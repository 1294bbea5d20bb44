package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageEOFException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of publishes through both brokers to a plain JMS consumer. */
@Timeout(180)
final class PublishMembersIT {
  private static final long LONG_MS = 60_000;

  /** A broker with a node and a plain JMS connection. */
  private record Scene(TestBroker broker, TestNode node, Connection connection) {
    Session session() throws Exception {
      return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }
  }

  @TempDir private Path folder;

  private static final Map<String, Scene> SCENES = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    TestBroker artemis = ArtemisProcess.start("--closed", "closed");
    start("artemis", artemis, "auto");
    start("artemis-batch", artemis, "batch");
    TestBroker classic = ClassicBroker.start();
    start("classic", classic, "auto");
    start("classic-batch", classic, "batch");
  }

  private static void start(String name, TestBroker broker, String mode) throws Exception {
    TestNode node = TestNode.start(config(broker, mode));
    node.awaitReady();
    ConnectionFactory factory =
        broker.provider().equals("classic")
            ? new org.apache.activemq.ActiveMQConnectionFactory(broker.url())
            : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(broker.url());
    Connection connection = factory.createConnection();
    connection.start();
    SCENES.put(name, new Scene(broker, node, connection));
  }

  private static Config config(TestBroker broker, String mode) {
    return TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
        .with(BrokerSettings.PUBLISH_MODE, mode)
        .with(TopicSettings.QUEUES_SEND, List.of("q.>", "closed.>", "DLQ.>", "*"))
        .with(TopicSettings.QUEUES_CONSUME, List.of("q.>"))
        .with(LimitSettings.PUBLISH_RATE, 100_000);
  }

  @AfterAll
  static void stop() throws Exception {
    for (Scene scene : SCENES.values()) {
      scene.connection.close();
      scene.node.close();
    }
    SCENES.values().stream().map(Scene::broker).distinct().forEach(TestBroker::close);
  }

  private static JsonNode publish(RawWebSocket client, int ref, String members) {
    client.text("{\"type\":\"publish\",\"ref\":%d,%s}".formatted(ref, members.replace('\'', '"')));
    return answer(client, ref);
  }

  private static JsonNode answer(RawWebSocket client, int ref) {
    JsonNode answer = client.readJson();
    while (answer.get("type").asText().equals("hello")) {
      answer = client.readJson();
    }
    assertThat(answer.get("ref").asInt()).isEqualTo(ref);
    return answer;
  }

  private static void checkPublished(JsonNode answer) {
    assertThat(answer.get("type").asText()).as(answer.toString()).isEqualTo("published");
  }

  private static void checkRefused(JsonNode answer, String code, String queue) {
    assertThat(answer.path("code").asText()).as(answer.toString()).isEqualTo(code);
    assertThat(answer.get("queue").asText()).isEqualTo(queue);
    assertThat(answer.has("topic")).isFalse();
  }

  /** Publishes to a queue and returns what a plain consumer of it receives. */
  private static Message delivered(String name, String test, String members) throws Exception {
    Scene scene = SCENES.get(name);
    String queue = "q." + test + "." + name;
    try (RawWebSocket client = scene.node.json();
        Session session = scene.session();
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
      checkPublished(publish(client, 1, "'queue':'" + queue + "'," + members));
      Message message = consumer.receive(LONG_MS);
      assertThat(message).isNotNull();
      return message;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "artemis-batch", "classic", "classic-batch"})
  void shouldDeliverHeaders(String name) throws Exception {
    Message message =
        delivered(
            name,
            "headers",
            "'payload':'a','priority':9,'ttl':600000,'messageType':'order','correlationId':'o-17',"
                + "'group':'ann','replyTo':{'queue':'q.inbox'},'persistent':false");
    assertThat(((TextMessage) message).getText()).isEqualTo("a");
    assertThat(message.getJMSPriority()).isEqualTo(9);
    // A client library may read the clock twice.
    assertThat(message.getJMSExpiration() - message.getJMSTimestamp())
        .isCloseTo(600_000, within(60_000L));
    assertThat(message.getJMSType()).isEqualTo("order");
    assertThat(message.getJMSCorrelationID()).isEqualTo("o-17");
    assertThat(message.getStringProperty("JMSXGroupID")).isEqualTo("ann");
    assertThat(((Queue) message.getJMSReplyTo()).getQueueName()).isEqualTo("q.inbox");
    assertThat(message.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
  }

  // A producer serves all messages: none may keep the headers of another one.
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "artemis-batch", "classic", "classic-batch"})
  void shouldUseDefaultsAfterOtherHeaders(String name) throws Exception {
    shouldDeliverHeaders(name);
    Message message = delivered(name, "defaults", "'payload':'a','replyTo':{'topic':'replies'}");
    assertThat(message.getJMSPriority()).isEqualTo(4);
    assertThat(message.getJMSExpiration()).isZero();
    assertThat(message.getJMSType()).isNull();
    assertThat(message.getJMSCorrelationID()).isNull();
    assertThat(message.propertyExists("JMSXGroupID")).isFalse();
    assertThat(((Topic) message.getJMSReplyTo()).getTopicName()).isEqualTo("replies");
    assertThat(message.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
    assertThat(delivered(name, "stored", "'payload':'a','persistent':true").getJMSDeliveryMode())
        .isEqualTo(DeliveryMode.PERSISTENT);
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeliverTypedProperties(String name) throws Exception {
    Message message =
        delivered(
            name,
            "properties",
            "'payload':'x','properties':{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6.5,'g':7,'h':true,"
                + "'i':'t'},'types':{'a':'byte','b':'short','c':'int','d':'long','e':'float',"
                + "'f':'double'}");
    Map<String, Object> expected =
        Map.of(
            "a", (byte) 1, "b", (short) 2, "c", 3, "d", 4L, "e", 5f, "f", 6.5, "g", 7L, "h", true,
            "i", "t");
    for (Map.Entry<String, Object> each : expected.entrySet()) {
      assertThat(message.getObjectProperty(each.getKey()))
          .as(each.getKey())
          .isEqualTo(each.getValue());
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeliverAValidTraceContextOnly(String name) throws Exception {
    String valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    Message traced =
        delivered(
            name,
            "traced",
            "'payload':'x','properties':{'traceparent':'" + valid + "','tracestate':'a=b'}");
    assertThat(traced.getStringProperty("traceparent")).isEqualTo(valid);
    assertThat(traced.getStringProperty("tracestate")).isEqualTo("a=b");
    Message invalid =
        delivered(
            name,
            "untraced",
            "'payload':'x','properties':{'traceparent':'00-bad','tracestate':7,'region':'EU'}");
    assertThat(invalid.propertyExists("traceparent")).isFalse();
    assertThat(invalid.propertyExists("tracestate")).isFalse();
    assertThat(invalid.getStringProperty("region")).isEqualTo("EU");
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeliverAllKindsOfBodies(String name) throws Exception {
    BytesMessage bytes =
        (BytesMessage) delivered(name, "bytes", "'payload':'AP8Q','encoding':'base64'");
    assertThat(bytes.getBody(byte[].class)).containsExactly(0, 255, 16);
    MapMessage map =
        (MapMessage)
            delivered(
                name,
                "map",
                "'payload':{'t':'a','i':7,'l':3000000000,'d':1.5,'f':true,'n':null,"
                    + "'b':{'base64':'AP8Q'}},'encoding':'json'");
    assertThat(map.getObject("t")).isEqualTo("a");
    assertThat(map.getObject("i")).isEqualTo(7);
    assertThat(map.getObject("l")).isEqualTo(3_000_000_000L);
    assertThat(map.getObject("d")).isEqualTo(1.5);
    assertThat(map.getObject("f")).isEqualTo(true);
    assertThat(map.itemExists("n")).isTrue();
    assertThat(map.getObject("n")).isNull();
    assertThat((byte[]) map.getObject("b")).containsExactly(0, 255, 16);
    StreamMessage stream =
        (StreamMessage)
            delivered(
                name,
                "stream",
                "'payload':['a',7,3000000000,1.5,false,null,{'base64':'AP8Q'}],'encoding':'json'");
    assertThat(stream.readObject()).isEqualTo("a");
    assertThat(stream.readObject()).isEqualTo(7);
    assertThat(stream.readObject()).isEqualTo(3_000_000_000L);
    assertThat(stream.readObject()).isEqualTo(1.5);
    assertThat(stream.readObject()).isEqualTo(false);
    assertThat(stream.readObject()).isNull();
    assertThat((byte[]) stream.readObject()).containsExactly(0, 255, 16);
    assertThatThrownBy(stream::readObject).isInstanceOf(MessageEOFException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "artemis-batch"})
  void shouldDelayAMessage(String name) throws Exception {
    Message message = delivered(name, "delay", "'payload':'a','delay':1000");
    assertThat(message.getJMSDeliveryTime() - message.getJMSTimestamp())
        .isBetween(1_000L, LONG_MS); // two readings of the clock
    assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(message.getJMSDeliveryTime());
    Message next = delivered(name, "delay", "'payload':'b'");
    assertThat(next.getJMSDeliveryTime()).isLessThanOrEqualTo(next.getJMSTimestamp());
  }

  @Test
  void shouldDelayMessagesOfDurableTopicsOnly() throws Exception {
    Scene scene = SCENES.get("artemis");
    Config config =
        config(scene.broker, "auto")
            .with(BrokerSettings.DURABLE, List.of("kept.>"))
            .with(BrokerSettings.CLIENT_ID, "delays")
            .with(HistorySettings.JOURNAL_FOLDER, folder.toString());
    try (TestNode node = TestNode.start(config);
        RawWebSocket client = ready(node).json()) {
      JsonNode refused = publish(client, 1, "'topic':'lost.a','payload':'a','delay':1");
      assertThat(refused.path("code").asText()).as(refused.toString()).isEqualTo("unsupported");
      assertThat(refused.get("message").asText()).contains("delay", "lost.a", "broker.durable");
      checkPublished(publish(client, 2, "'topic':'kept.a','payload':'a','delay':1"));
      client.text(
          "{\"type\":\"transaction\",\"ref\":3,\"publish\":[{\"topic\":\"kept.a\","
              + "\"payload\":\"a\",\"delay\":1},{\"topic\":\"lost.a\",\"payload\":\"b\",\"delay\":1}]}");
      JsonNode transaction = answer(client, 3);
      assertThat(transaction.get("code").asText()).isEqualTo("unsupported");
      assertThat(transaction.get("message").asText()).startsWith("publish 2: ").contains("lost.a");
    }
  }

  private static TestNode ready(TestNode node) {
    node.awaitReady();
    return node;
  }

  @Test
  void shouldRefuseFeaturesThatTheBrokerDoesNotHave() {
    try (RawWebSocket client = SCENES.get("classic").node.json()) {
      JsonNode delayed = publish(client, 1, "'queue':'q.a','payload':'a','delay':1000");
      checkRefused(delayed, "unsupported", "q.a");
      assertThat(delayed.get("message").asText()).contains("delay");
      JsonNode identified = publish(client, 2, "'queue':'q.a','payload':'a','id':'1'");
      checkRefused(identified, "unsupported", "q.a");
      assertThat(identified.get("message").asText()).contains("id");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "artemis-batch"})
  void shouldStoreARepeatedPublishOnce(String name) throws Exception {
    Scene scene = SCENES.get(name);
    String queue = "q.once." + name;
    String publish = "'queue':'" + queue + "','payload':'%s','id':'%s'";
    try (RawWebSocket client = scene.node.json()) {
      checkPublished(publish(client, 1, publish.formatted("first", "x")));
      checkPublished(publish(client, 2, publish.formatted("repeated", "x")));
      checkPublished(publish(client, 3, publish.formatted("second", "y")));
    }
    try (RawWebSocket client = scene.node.json()) {
      // In batch mode, the duplicate rolls back the transaction of its neighbours.
      for (int ref = 4; ref < 24; ref++) {
        String id = ref % 2 == 0 ? "x" : "z" + ref;
        client.text(
            "{\"type\":\"publish\",\"ref\":%d,%s}"
                .formatted(ref, publish.formatted("later " + ref, id).replace('\'', '"')));
      }
      for (int ref = 4; ref < 24; ref++) {
        checkPublished(answer(client, ref));
      }
      checkPublished(
          publish(client, 24, publish.formatted("elsewhere", "x").replace(queue, queue + ".2")));
    }
    try (Session session = scene.session();
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        MessageConsumer other = session.createConsumer(session.createQueue(queue + ".2"))) {
      assertThat(text(consumer)).isEqualTo("first");
      assertThat(text(consumer)).isEqualTo("second");
      for (int ref = 5; ref < 24; ref += 2) {
        assertThat(text(consumer)).isEqualTo("later " + ref);
      }
      assertThat(consumer.receiveNoWait()).isNull();
      assertThat(text(other)).isEqualTo("elsewhere");
    }
  }

  private static String text(MessageConsumer consumer) throws Exception {
    return ((TextMessage) consumer.receive(LONG_MS)).getText();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "artemis-batch"})
  void shouldRefuseQueuesThatDoNotExist(String name) throws Exception {
    Scene scene = SCENES.get(name);
    String topic = "q.topic." + name;
    try (RawWebSocket client = scene.node.json();
        Session session = scene.session();
        MessageConsumer subscriber = session.createConsumer(session.createTopic(topic))) {
      checkRefused(
          publish(client, 1, "'queue':'closed.a','payload':'x'"), "unknown-queue", "closed.a");
      checkRefused(
          publish(client, 2, "'queue':'closed.a','payload':'x'"), "unknown-queue", "closed.a");
      // The name is that of a topic.
      checkRefused(
          publish(client, 3, "'queue':'" + topic + "','payload':'x'"), "unknown-queue", topic);
      assertThat(subscriber.receiveNoWait()).isNull();
      checkPublished(publish(client, 4, "'queue':'q.after." + name + "','payload':'x'"));
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRefuseForbiddenQueues(String name) {
    String internal = name.equals("classic") ? "ActiveMQ.DLQ" : "activemq.management";
    try (RawWebSocket client = SCENES.get(name).node.json()) {
      for (String queue : new String[] {"other.a", "DLQ", "q.a?x=1", "q.a::b", internal}) {
        JsonNode answer = publish(client, 1, "'queue':'" + queue + "','payload':'x'");
        if (!(name.equals("classic") && queue.contains("::"))) {
          checkRefused(answer, "forbidden", queue);
        }
      }
      checkRefused(publish(client, 2, "'queue':'q.*','payload':'x'"), "invalid-topic", "q.*");
      checkRefused(
          publish(client, 3, "'queue':'q.a','payload':'x','replyTo':{'queue':'other'}"),
          "forbidden",
          "q.a");
      checkRefused(
          publish(client, 4, "'queue':'q.a','payload':'x','replyTo':{'topic':'a..b'}"),
          "invalid-topic",
          "q.a");
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldPublishBinaryFramesWithMembers(String name) throws Exception {
    Scene scene = SCENES.get(name);
    String queue = "q.binary." + name;
    byte[] members =
        ("{\"queue\":\"" + queue + "\",\"priority\":7}").getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(9 + members.length + 2);
    frame.put((byte) 0x32).putInt(5).putShort((short) 0);
    frame.putShort((short) members.length).put(members).put(new byte[] {1, 2});
    try (RawWebSocket client = scene.node.binary();
        Session session = scene.session();
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
      client.binary(frame.array());
      checkPublished(answer(client, 5));
      Message message = consumer.receive(LONG_MS);
      assertThat(message.getJMSPriority()).isEqualTo(7);
      assertThat(message.getBody(byte[].class)).containsExactly(1, 2);
    }
  }

  @Test
  void shouldListTheFeaturesOfTheBroker() {
    try (RawWebSocket artemis = SCENES.get("artemis").node.json();
        RawWebSocket classic = SCENES.get("classic").node.json()) {
      artemis.text("{\"type\":\"connect\"}");
      classic.text("{\"type\":\"connect\"}");
      assertThat(artemis.readJson().get("features"))
          .extracting(JsonNode::asText)
          .contains("delay", "publish-id");
      assertThat(classic.readJson().get("features"))
          .extracting(JsonNode::asText)
          .doesNotContain("delay", "publish-id");
    }
  }
}
