package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Brokers that send new consumers a history, as in docs/operations/broker.md. */
final class BrokerHistoryIT {
  private static Config config(String provider, String url) {
    return TestNode.config(provider, TestBroker.retroactiveUrl(provider, url));
  }

  private static void publish(TestPublisher publisher, String topic, int from, int to)
      throws JMSException {
    for (int i = from; i <= to; i++) {
      publisher.text(topic, String.valueOf(i));
    }
  }

  private static JsonNode subscribe(RawWebSocket client, String topic, String from) {
    client.text(
        "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\",\"from\":\"%s\"}"
            .formatted(topic, from));
    return client.await("subscribed");
  }

  @ParameterizedTest
  @CsvSource({"artemis, snapshot", "artemis, now", "classic, snapshot", "classic, now"})
  void shouldSendTheBrokersHistoryAfterTheAnswerToTheFirstClient(String provider, String from)
      throws Exception {
    try (TestBroker broker = TestBroker.startRetroactive(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      publish(publisher, "retro.a", 1, 8);
      try (TestNode node = TestNode.start(config(provider, broker.url()));
          RawWebSocket first = node.json()) {
        JsonNode subscribed = subscribe(first, "retro.a", from);
        assertThat(subscribed.has("replay")).as("the number of messages is unknown").isFalse();
        assertThat(first.payloads(5)).containsExactly("4", "5", "6", "7", "8");
        publisher.text("retro.a", "9");
        assertThat(first.payloads(1)).containsExactly("9");
        try (RawWebSocket second = node.json()) {
          JsonNode answer = subscribe(second, "retro.a", "snapshot");
          assertThat(answer.get("replay").asInt()).as("what the node has by now").isEqualTo(1);
          assertThat(second.payloads(1)).containsExactly("9");
        }
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReplayAfterAnOutageWithoutDuplicates(String provider) throws Exception {
    try (TestBroker broker = TestBroker.startRetroactive(provider);
        HalfOpenLink link = new HalfOpenLink(broker.url());
        TestNode node = TestNode.start(config(provider, link.url()));
        TestPublisher publisher = new TestPublisher(provider, broker.url());
        RawWebSocket client = node.json()) {
      client.subscribe(1, "retro.b");
      publish(publisher, "retro.b", 1, 6);
      assertThat(client.payloads(6)).endsWith("5", "6");
      for (int last = 6; last < 15; last += 3) {
        link.cut();
        client.await("stale");
        publish(publisher, "retro.b", last + 1, last + 2);
        link.mend();
        assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
        List<String> came = new ArrayList<>();
        // Missed messages may arrive before the node reports that all its consumers are active
        // again.
        awaitCollecting(client, "live", message -> came.add(message.get("payload").asText()));
        publish(publisher, "retro.b", last + 3, last + 3);
        came.addAll(client.payloads(3 - came.size()));
        assertThat(came).containsExactly("" + (last + 1), "" + (last + 2), "" + (last + 3));
      }
      assertThat(node.metric("sluice_drops_total{cause=\"repeated\"}")).isEqualTo(3 * 3);
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldSendNoDuplicatesWhileMessagesArrive(String provider) throws Exception {
    try (TestBroker broker = TestBroker.startRetroactive(provider);
        HalfOpenLink link = new HalfOpenLink(broker.url());
        TestNode node = TestNode.start(config(provider, link.url()));
        NumberedLoad load = new NumberedLoad(provider, broker.url(), "retro.busy");
        RawWebSocket client = node.json()) {
      load.start();
      client.subscribe(1, "retro.busy");
      Set<String> ids = new HashSet<>();
      for (int outage = 0; outage < 5; outage++) {
        for (int i = 0; i < 20; i++) {
          assertThat(ids.add(client.await("message").get("id").asText())).as("new").isTrue();
        }
        link.cut();
        awaitCollecting(client, "stale", message -> assertNew(message, ids));
        link.mend();
        awaitCollecting(client, "gap", message -> assertNew(message, ids));
      }
    }
  }

  private static void assertNew(JsonNode message, Set<String> ids) {
    assertThat(ids.add(message.get("id").asText())).as("new").isTrue();
  }

  /** Reads up to a frame of this type, and hands on each message before it. */
  private static void awaitCollecting(
      RawWebSocket client, String type, Consumer<JsonNode> messages) {
    for (JsonNode frame = client.readJson();
        !frame.get("type").asText().equals(type);
        frame = client.readJson()) {
      if (frame.get("type").asText().equals("message")) {
        messages.accept(frame);
      }
    }
  }

  @Test
  void shouldHaveSnapshotsOfPreSubscribedTopicsFromTheStartWithClassic() throws Exception {
    try (ClassicBroker broker = ClassicBroker.startRetroactive();
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      publish(publisher, "image.a", 1, 3);
      publish(publisher, "image.b", 4, 5);
      Config config =
          config("classic", broker.url()).with(HistorySettings.WARM, List.of("image.>"));
      try (TestNode node = TestNode.start(config);
          RawWebSocket client = node.json()) {
        await().until(() -> node.metric("sluice_messages_in_total") >= 2);
        assertThat(subscribe(client, "image.a", "snapshot").get("replay").asInt()).isEqualTo(1);
        assertThat(client.payloads(1)).containsExactly("3");
        subscribe(client, "image.*", "snapshot");
        assertThat(client.payloads(2)).containsExactlyInAnyOrder("3", "5");
      }
    }
  }

  @Test
  void shouldReceiveEachMessageOnceByAPatternThatCoversArtemisOwnAddresses() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start("--retroactive", "retro");
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        TestNode node = TestNode.start(config("artemis", broker.url()));
        RawWebSocket client = node.json()) {
      publish(publisher, "retro.c", 1, 3);
      client.subscribe(1, ">");
      publish(publisher, "retro.c", 4, 5);
      publish(publisher, "plain", 6, 6);
      assertThat(client.payloads(3)).as("no history, no copies").containsExactly("4", "5", "6");
    }
  }

  /**
   * When this fails, Artemis has mended it, and docs/operations/broker.md need no longer warn of
   * it.
   */
  @Test
  void shouldFindThatAPatternUnderARetroactiveSettingBlocksArtemisPublishers() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start("--retroactive", "retro");
        TestNode node = TestNode.start(config("artemis", broker.url()));
        TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
        RawWebSocket client = node.json()) {
      Session session = publisher.session();
      MessageProducer persistent = session.createProducer(session.createTopic("retro.d"));
      persistent.send(session.createTextMessage("taken"));
      client.subscribe(1, "retro.*");
      assertThatExceptionOfType(JMSException.class)
          .isThrownBy(() -> persistent.send(session.createTextMessage("refused")))
          .withMessageContaining("AMQ229260");
    }
  }

  @Test
  void shouldGetAllMessagesOfAKeyFromALastValueAddress() throws Exception {
    try (TestBroker broker = TestBroker.startRetroactive("artemis");
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        TestNode node = TestNode.start(config("artemis", broker.url()));
        RawWebSocket client = node.json()) {
      keyed(publisher, "0");
      client.subscribe(1, "last.a");
      for (int i = 1; i <= 1_000; i++) {
        keyed(publisher, String.valueOf(i));
      }
      int last = 0;
      while (last < 1_000) {
        int next = client.await("message").get("payload").asInt();
        assertThat(next).as("no history, and in order").isEqualTo(last + 1);
        last = next;
      }
    }
  }

  private static void keyed(TestPublisher publisher, String payload) throws JMSException {
    TextMessage message = publisher.session().createTextMessage(payload);
    message.setStringProperty("key", "one");
    publisher.send("last.a", message);
  }

  /** Publishes rising numbers until it is closed. */
  private static final class NumberedLoad implements AutoCloseable {
    private final TestPublisher publisher;
    private final String topic;
    private final Thread thread = new Thread(this::run, "numbered-load");
    private volatile boolean stopped;

    NumberedLoad(String provider, String url, String topic) throws JMSException {
      this.publisher = new TestPublisher(provider, url);
      this.topic = topic;
    }

    void start() {
      thread.start();
    }

    private void run() {
      try {
        for (int i = 1; !stopped; i++) {
          publisher.text(topic, String.valueOf(i));
        }
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() throws JMSException {
      stopped = true;
      await().until(() -> !thread.isAlive());
      publisher.close();
    }
  }
}
