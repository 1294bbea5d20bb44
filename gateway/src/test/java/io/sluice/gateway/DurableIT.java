package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Connection;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Durable interests in real brokers that keep what is persistent. */
final class DurableIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CLIENT_ID, "durable-it")
        .with(BrokerSettings.DURABLE, List.of("orders.>"))
        .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(500))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(200));
  }

  private TestBroker broker(String provider) {
    return TestBroker.start(provider, folder.resolve("broker"));
  }

  private static void subscribe(RawWebSocket client, String topic, JsonNode from) {
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic).set("from", from);
    client.text(frame.toString());
  }

  private static ObjectNode position(JsonNode subscribed, JsonNode message) {
    ObjectNode position = JSON.createObjectNode();
    position.put("epoch", subscribed.get("epoch").asText());
    position.set("since", subscribed.get("time"));
    position.set("offset", (message == null ? subscribed : message).get("offset"));
    if (message != null) {
      position.putArray("ids").add(message.get("id"));
    }
    return position;
  }

  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingOverARestartOfTheBroker(String provider) throws Exception {
    try (TestBroker broker = broker(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json();
        RawWebSocket whole = node.json()) {
      client.subscribe(1, "orders.7");
      whole.subscribe(1, "orders.>");
      node.awaitReady();
      try (TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
        publisher.text("orders.7", "1");
        publisher.text("orders.8", "2");
      }
      assertThat(client.payloads(1)).containsExactly("1");
      assertThat(whole.payloads(2)).containsExactly("1", "2");
      broker.kill();
      client.await("stale");
      broker.restart();
      List<String> frames = typesUntil(client, "live");
      assertThat(frames).doesNotContain("gap", "message");
      try (TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
        publisher.text("orders.7", "3");
      }
      assertThat(client.payloads(1)).containsExactly("3");
      assertThat(whole.payloads(1)).containsExactly("3");
    }
  }

  /** Artemis selects the consumers of a transaction when a message is sent. */
  @ParameterizedTest
  @EachBroker
  void shouldReceiveATransactionThatWasOpenBeforeTheNode(String provider) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        Connection connection = JmsResponder.connect(broker)) {
      try (TestNode former = TestNode.start(config(broker))) {
        former.awaitReady(); // the broker has its durable subscription
      }
      Session transaction = connection.createSession(true, Session.SESSION_TRANSACTED);
      transaction
          .createProducer(transaction.createTopic("orders.7"))
          .send(transaction.createTextMessage("bound"));
      try (TestNode node = TestNode.start(config(broker));
          RawWebSocket client = node.json()) {
        node.awaitReady();
        client.subscribe(1, "orders.7");
        transaction.commit();
        assertThat(client.payloads(1)).containsExactly("bound");
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldFeedSelectorsAndLoseNothingOverARestartOfTheBroker(String provider) throws Exception {
    try (TestBroker broker = broker(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      client.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"orders.7\",\"tagged\":true,"
              + "\"where\":\"JMSType = 'b'\"}");
      client.await("subscribed");
      node.awaitReady();
      publishTypes(provider, broker, "a", "b");
      assertThat(client.payloads(1)).containsExactly("b");
      broker.kill();
      client.await("stale");
      broker.restart();
      assertThat(typesUntil(client, "live")).doesNotContain("gap", "message");
      publishTypes(provider, broker, "b", "a");
      assertThat(client.payloads(1)).containsExactly("b");
    }
  }

  private static void publishTypes(String provider, TestBroker broker, String... types)
      throws Exception {
    try (TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
      for (String type : types) {
        TextMessage message = publisher.session().createTextMessage(type);
        message.setJMSType(type);
        publisher.send("orders.7", message);
      }
    }
  }

  private static List<String> typesUntil(RawWebSocket client, String type) {
    List<String> types = new ArrayList<>();
    do {
      types.add(client.readJson().get("type").asText());
    } while (!types.get(types.size() - 1).equals(type));
    return types;
  }

  @ParameterizedTest
  @EachBroker
  void shouldReplayMessagesOfTheNodesDowntime(String provider) throws Exception {
    try (TestBroker broker = broker(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
      JsonNode exact;
      JsonNode pattern;
      try (TestNode node = TestNode.start(config(broker));
          RawWebSocket client = node.json();
          RawWebSocket whole = node.json()) {
        node.awaitReady();
        JsonNode subscribed = client.subscribe(1, "orders.7");
        JsonNode subscribedWhole = whole.subscribe(1, "orders.>");
        publisher.text("orders.7", "1");
        publisher.text("orders.7", "2");
        exact = position(subscribed, client.await("message"));
        pattern = position(subscribedWhole, whole.await("message"));
        client.await("message");
      }
      publisher.text("orders.7", "3");
      publisher.text("orders.8", "4");
      publisher.text("orders.7", "5");
      try (TestNode node = TestNode.start(config(broker));
          RawWebSocket client = node.json();
          RawWebSocket whole = node.json()) {
        subscribe(client, "orders.7", exact);
        assertThat(client.await("subscribed").get("recovered").asBoolean()).isTrue();
        assertThat(client.payloads(3)).containsExactly("2", "3", "5");
        subscribe(whole, "orders.>", pattern);
        assertThat(whole.await("subscribed").get("recovered").asBoolean())
            .as("a pattern, if the broker keeps the order of its topics")
            .isEqualTo(provider.equals("artemis"));
        if (provider.equals("artemis")) {
          assertThat(whole.payloads(4)).containsExactly("2", "3", "4", "5");
        }
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportAGapIfTheBrokerDeletedTheSubscription(String provider) throws Exception {
    JsonNode position;
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      JsonNode subscribed = client.subscribe(1, "orders.7");
      node.awaitReady();
      try (TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
        publisher.text("orders.7", "1");
      }
      position = position(subscribed, client.await("message"));
      broker.kill();
      client.await("stale");
      broker.restart();
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
      try (RawWebSocket back = node.json()) {
        subscribe(back, "orders.7", position);
        assertThat(back.await("subscribed").get("recovered").asBoolean()).isFalse();
      }
    }
    try (TestBroker another = TestBroker.start(provider);
        TestNode node = TestNode.start(config(another));
        RawWebSocket back = node.json()) {
      subscribe(back, "orders.7", position);
      assertThat(back.await("subscribed").get("recovered").asBoolean())
          .as("after a restart of the node")
          .isFalse();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportAGapForMessagesThatWereNotPersistent(String provider) throws Exception {
    try (TestBroker broker = broker(provider);
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json()) {
      client.subscribe(1, "orders.7");
      node.awaitReady();
      try (TestPublisher publisher = new TestPublisher(provider, broker.url())) {
        publisher.text("orders.7", "1");
      }
      client.await("message");
      broker.kill();
      broker.restart();
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportCaughtUpOnlyWhenNoMessageIsLate(String provider) throws Exception {
    try (TestBroker broker = broker(provider)) {
      Config config = config(broker).with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(250));
      try (TestNode node = TestNode.start(config);
          RawWebSocket client = node.json()) {
        client.subscribe(1, "orders.7");
        await().until(() -> node.metric("sluice_durable_late") == 0);
        client.await("caught-up");
      }
    }
  }

  @ParameterizedTest
  @EachBroker
  void shouldRemoveSubscriptionsThatAreNoLongerDurable(String provider) throws Exception {
    try (TestBroker broker = broker(provider)) {
      try (TestNode node = TestNode.start(config(broker))) {
        node.awaitReady();
      }
      Config without = config(broker).with(BrokerSettings.DURABLE, List.of());
      try (TestNode node = TestNode.start(without)) {
        node.awaitReady();
      }
      try (TestPublisher publisher = new TestPublisher(provider, broker.url()).persistent()) {
        publisher.text("orders.7", "published while unsubscribed");
        try (TestNode node = TestNode.start(config(broker));
            RawWebSocket client = node.json()) {
          client.subscribe(1, "orders.7");
          publisher.text("orders.7", "1");
          assertThat(client.payloads(1)).containsExactly("1");
        }
      }
    }
  }

  /** A text whose body ends before the text does, as only a client of Artemis' core can send. */
  private static void sendTorn(String url, String address) throws Exception {
    try (ServerLocator locator = ActiveMQClient.createServerLocator(url);
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession();
        ClientProducer producer = session.createProducer(address)) {
      ClientMessage torn = session.createMessage(Message.TEXT_TYPE, true);
      torn.getBodyBuffer().writeByte((byte) 1);
      producer.send(torn);
    }
  }

  @Tag("full")
  @Test
  void shouldReportAGapForAnUnreadableMessageAndContinue() throws Exception {
    try (TestBroker broker = broker("artemis");
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client = node.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url()).persistent()) {
      node.awaitReady();
      client.subscribe(1, "orders.>");
      publisher.text("orders.7", "1");
      sendTorn(broker.url(), "orders.7");
      publisher.text("orders.7", "2");
      assertThat(client.payloads(1)).containsExactly("1");
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("unsupported");
      assertThat(client.payloads(1)).containsExactly("2");
      // Artemis' client can't acknowledge it, so it comes again, and what followed it, too.
      await().until(() -> node.metric("sluice_drops_total{cause=\"repeated\"}") > 0);
      publisher.text("orders.7", "3");
      assertThat(typesUntil(client, "message")).doesNotContain("gap");
    }
  }
}
