package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers of queues over WebSockets at real brokers: docs/PROTOCOL.md, section 12. */
final class QueueConsumersIT {
  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(200))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
        .with(TopicSettings.QUEUES_BROWSE, List.of(">", "DLQ"));
  }

  private static void send(TestBroker broker, String queue, String... texts) throws JMSException {
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      MessageProducer producer =
          publisher.session().createProducer(publisher.session().createQueue(queue));
      producer.setDeliveryMode(DeliveryMode.PERSISTENT);
      for (String text : texts) {
        Message message = publisher.session().createTextMessage(text);
        message.setStringProperty("region", text.substring(0, 1));
        message.setJMSCorrelationID("c-" + text);
        message.setJMSReplyTo(publisher.session().createQueue("answers"));
        producer.send(message);
      }
    }
  }

  private static String queueMetrics(TestNode node) {
    return node.admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("sluice_queue"))
        .collect(Collectors.joining("\n"));
  }

  private static String[] numbers(int count) {
    String[] numbers = new String[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = String.valueOf(i + 1);
    }
    return numbers;
  }

  private static void consume(FrameClient client, int ref, String queue, int credit) {
    client.send("'type':'consume','ref':%d,'queue':'%s','credit':%d".formatted(ref, queue, credit));
    JsonNode consuming = client.await("consuming");
    assertThat(consuming.get("ref").asInt()).isEqualTo(ref);
    assertThat(consuming.get("queue").asText()).isEqualTo(queue);
  }

  private static void settle(FrameClient client, String how, long tag) {
    client.send("'type':'%s','ref':99,'subscription':7,'tag':%d".formatted(how, tag));
    assertThat(client.await("settled").get("ref").asInt()).isEqualTo(99);
  }

  /** Returns tag and payload of the next delivery, and whether it is marked. */
  private static String delivery(FrameClient client) {
    JsonNode delivery = client.await("delivery");
    return delivery.get("tag").asText()
        + " "
        + delivery.get("payload").asText()
        + (delivery.path("redelivered").asBoolean() ? " again" : "");
  }

  private static void assertEmpty(FrameClient client, String queue) {
    await()
        .untilAsserted(
            () -> {
              client.send("'type':'browse','ref':50,'queue':'%s'".formatted(queue));
              assertThat(client.await("browsed").get("count").asInt()).isZero();
            });
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeliverAndSettle(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        FrameClient client = new FrameClient(node.json())) {
      send(broker, "orders", "a", "b", "c", "d");
      client.send(
          "'type':'browse','ref':3,'queue':'orders','max':2,'where':'region <> \\u0027a\\u0027'");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("b");
      assertThat(client.await("delivery").has("tag")).isFalse();
      assertThat(client.await("browsed").get("more").asBoolean()).isTrue();

      consume(client, 7, "orders", 2);
      JsonNode first = client.await("delivery");
      assertThat(first.get("tag").asInt()).isEqualTo(1);
      assertThat(first.get("payload").asText()).isEqualTo("a");
      assertThat(first.get("correlationId").asText()).isEqualTo("c-a");
      assertThat(first.get("replyTo").get("queue").asText()).isEqualTo("answers");
      assertThat(delivery(client)).isEqualTo("2 b");
      settle(client, "ack", 1);
      assertThat(delivery(client)).isEqualTo("3 c");
      settle(client, "release", 3);
      settle(client, "ack", 2);
      Set<String> rest = new TreeSet<>(List.of(delivery(client), delivery(client)));
      assertThat(rest).hasSize(2).anyMatch(told -> told.endsWith(" c again"));
      client.send("'type':'reject','ref':5,'subscription':7,'tag':5,'upTo':true");
      client.await("settled");
      client.send("'type':'ack','subscription':7,'tag':5");
      JsonNode late = client.await("error");
      assertThat(late.get("code").asText()).isEqualTo("not-pending");
      assertThat(late.get("tag").asInt()).isEqualTo(5);
      client.send("'type':'unsubscribe','ref':6,'subscription':7");
      assertThat(client.await("unsubscribed").get("queue").asText()).isEqualTo("orders");
      assertEmpty(client, "orders");
      client.send("'type':'consume','ref':8,'queue':'orders','where':'price >'");
      JsonNode invalid = client.await("error");
      assertThat(invalid.get("code").asText()).isEqualTo("invalid-selector");
      assertThat(invalid.get("queue").asText()).isEqualTo("orders");
      String deadLetters = provider.equals("classic") ? "ActiveMQ.DLQ" : "DLQ";
      if (provider.equals("artemis")) {
        client.send("'type':'browse','ref':9,'queue':'" + deadLetters + "'");
        assertThat(client.await("browsed").get("count").asInt()).isEqualTo(2);
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldNotIncludeInternalQueuesInWildcards(String provider) throws Exception {
    List<String> all = List.of(">", "*", "*.>");
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                config(broker)
                    .with(TopicSettings.QUEUES_CONSUME, all)
                    .with(TopicSettings.QUEUES_BROWSE, all)
                    .with(TopicSettings.QUEUES_SEND, all)
                    .with(TopicSettings.QUEUES_DEAD_LETTER, "failed"));
        FrameClient client = new FrameClient(node.json())) {
      node.awaitReady();
      String internal = provider.equals("classic") ? "ActiveMQ.Any" : "activemq.management";
      for (String queue : List.of("DLQ", "ExpiryQueue", "ActiveMQ.DLQ", "failed", internal)) {
        for (String operation : List.of("consume", "browse", "publish")) {
          String payload = operation.equals("publish") ? ",'payload':'x'" : "";
          client.send("'type':'%s','ref':1,'queue':'%s'%s".formatted(operation, queue, payload));
          assertThat(client.await("error").get("code").asText())
              .as("%s %s", operation, queue)
              .isEqualTo("forbidden");
        }
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldDeliverInBinary(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        FrameClient client = new FrameClient(node.binary())) {
      consume(client, 7, "orders", 1);
      send(broker, "orders", "text €");
      ByteBuffer frame = ByteBuffer.wrap(client.socket().readBinary());
      assertThat(frame.get() & 0x7f).isEqualTo(0x42);
      assertThat(frame.getInt()).isEqualTo(7);
      assertThat(frame.getInt()).isEqualTo(1);
      frame.getLong();
      int timeLow = frame.getInt();
      assertThat((int) System.currentTimeMillis() - timeLow).isBetween(0, 60_000);
      byte[] members = new byte[frame.getShort()];
      frame.get(members);
      assertThat(new String(members, StandardCharsets.UTF_8))
          .endsWith("\"correlationId\":\"c-text €\",\"replyTo\":{\"queue\":\"answers\"}}");
      assertThat(StandardCharsets.UTF_8.decode(frame).toString()).isEqualTo("text €");
      settle(client, "ack", 1);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldDistributeAmongClientsOfTwoNodesAndReturnThoseOfAStoppedOne(String provider)
      throws Exception {
    int count = 60;
    try (TestBroker broker = TestBroker.start(provider);
        TestNode stays = TestNode.start(config(broker));
        FrameClient first = new FrameClient(stays.json());
        FrameClient second = new FrameClient(stays.json())) {
      Set<String> held = new HashSet<>();
      try (TestNode stops = TestNode.start(config(broker));
          FrameClient third = new FrameClient(stops.json())) {
        for (FrameClient client : List.of(first, second, third)) {
          consume(client, 7, "work", 5);
        }
        send(broker, "work", numbers(count));
        for (int i = 0; i < 5; i++) {
          held.add(third.await("delivery").get("payload").asText());
        }
      }
      second.send("'type':'unsubscribe','subscription':7");
      List<String> acknowledged = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        JsonNode delivery = first.await("delivery");
        String payload = delivery.get("payload").asText();
        if (held.contains(payload)) {
          assertThat(delivery.has("redelivered")).as(payload).isTrue();
        }
        acknowledged.add(payload);
        settle(first, "ack", delivery.get("tag").asLong());
      }
      assertThat(acknowledged).containsExactlyInAnyOrder(numbers(count));
      assertEmpty(first, "work");
      await().until(() -> broker.connections() <= 3);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldDeliverUnsettledMessagesAgainAfterLossOfTheBroker(String provider, @TempDir Path data)
      throws Exception {
    try (TestBroker broker = TestBroker.start(provider, data);
        TestNode node = TestNode.start(config(broker));
        FrameClient client = new FrameClient(node.json())) {
      consume(client, 7, "orders", 10);
      send(broker, "orders", "1", "2", "3");
      for (String number : numbers(3)) {
        assertThat(delivery(client)).isEqualTo(number + " " + number);
      }
      settle(client, "ack", 2);
      broker.kill();
      JsonNode released = client.await("released");
      assertThat(released.get("reason").asText()).isEqualTo("broker-lost");
      assertThat(released.has("tag")).isFalse();
      client.send("'type':'ack','subscription':7,'tag':1");
      assertThat(client.await("error").get("code").asText()).isEqualTo("not-pending");
      broker.restart();
      for (String lost : List.of("1", "3")) {
        JsonNode delivery = client.await("delivery");
        assertThat(delivery.get("payload").asText()).isEqualTo(lost);
        assertThat(delivery.has("redelivered")).isTrue();
      }
      client.send("'type':'ack','ref':1,'subscription':7,'tag':5,'upTo':true");
      client.await("settled");
      assertEmpty(client, "orders");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReturnMessagesThatAreNotSettledInTime(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                config(broker).with(TopicSettings.QUEUES_ACK_TIMEOUT, Duration.ofSeconds(1)));
        FrameClient client = new FrameClient(node.json());
        FrameClient other = new FrameClient(node.json())) {
      consume(client, 7, "orders", 1);
      send(broker, "orders", "1");
      assertThat(delivery(client)).isEqualTo("1 1");
      JsonNode released = client.await("released");
      assertThat(released.get("tag").asInt()).isEqualTo(1);
      assertThat(released.get("reason").asText()).isEqualTo("timeout");
      client.send("'type':'credit','subscription':7,'credit':0");
      consume(other, 7, "orders", 1);
      String told = delivery(other);
      assertThat(told).endsWith(" 1 again");
      settle(other, "ack", Long.parseLong(told.split(" ")[0]));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis"})
  void shouldPauseAClientThatDoesNotRead(String provider) throws Exception {
    int count = 300;
    String filler = "x".repeat(10_000);
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(config(broker).with(LimitSettings.PENDING_BYTES, 64L * 1024));
        FrameClient client =
            new FrameClient(
                node.request()
                    .subprotocols(Encoding.JSON_SUBPROTOCOL)
                    .receiveBuffer(4_096)
                    .open())) {
      consume(client, 7, "large", 1_000);
      String[] texts = numbers(count);
      for (int i = 0; i < count; i++) {
        texts[i] += " " + filler;
      }
      send(broker, "large", texts);
      await()
          .untilAsserted(
              () ->
                  assertThat(node.metric("sluice_queue_pending"))
                      .as(queueMetrics(node))
                      .isPositive());
      for (int i = 1; i <= count; i++) {
        JsonNode delivery = client.await("delivery");
        assertThat(delivery.get("payload").asText()).startsWith(i + " ");
        settle(client, "ack", delivery.get("tag").asLong());
      }
      assertEmpty(client, "large");
    }
  }
}
