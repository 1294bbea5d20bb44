package io.sluice.gateway.overload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestScope;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Consumers that are opened between the sending and the delivery of a message. Their clients
 * receive it, or learn that messages may be missing.
 */
@Timeout(300)
final class LateDeliveryIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String TOPIC = "late.bound";
  private static final String PATTERN = "late.*";
  private static final String ORDINARY = "late-ordinary";
  private static final String LATE = "late";
  private static final Duration MARGIN = Duration.ofMillis(500);

  /** Longer than consumers take to open on a slow machine. */
  private static final long DELAY_MS = 15_000;

  private static Config config(TestCluster cluster, TestBroker broker, int node) {
    return cluster
        .config(node)
        .with(BrokerSettings.PROVIDER, broker.provider())
        .with(ClusterSettings.KEEP_WARM, false) // consumers open when clients subscribe
        .with(BrokerSettings.CANARY_TIMEOUT, TIMEOUT)
        .with(BrokerSettings.LINGER, TIMEOUT)
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, MARGIN)
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100));
  }

  private static Connection connection(TestBroker broker) throws JMSException {
    return broker.provider().equals("classic")
        ? new ActiveMQConnectionFactory(broker.url()).createConnection()
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(broker.url())
            .createConnection();
  }

  private static void send(Session session, String topic, String payload, long delayMs)
      throws JMSException {
    MessageProducer producer = session.createProducer(session.createTopic(topic));
    if (delayMs > 0) {
      producer.setDeliveryDelay(delayMs);
    }
    producer.send(session.createTextMessage(payload));
    producer.close();
  }

  private static JsonNode caughtUp(RawWebSocket client, long timeMs) {
    JsonNode frame = client.await("caught-up");
    while (frame.get("time").asLong() < timeMs) {
      frame = client.await("caught-up");
    }
    return frame;
  }

  /** Returns the position of a client without a message. */
  private static ObjectNode position(JsonNode subscribed, JsonNode caughtUp) {
    ObjectNode position = JsonNodeFactory.instance.objectNode();
    position.set("epoch", subscribed.get("epoch"));
    position.set("offset", subscribed.get("offset"));
    position.set("since", subscribed.get("time"));
    position.set("time", caughtUp.get("time"));
    return position;
  }

  private static RawWebSocket open(TestNode node, List<RawWebSocket> all) {
    RawWebSocket client = node.request().timeout(TIMEOUT).open();
    all.add(client);
    return client;
  }

  /** Returns whether the message arrives before a gap; fails if neither does. */
  private static boolean receives(RawWebSocket client) {
    while (true) {
      JsonNode frame = client.readJson();
      switch (frame.get("type").asText()) {
        case "gap" -> {
          return false;
        }
        case "message" -> {
          assertThat(frame.get("payload").asText()).isEqualTo(LATE);
          return true;
        }
        default -> {}
      }
    }
  }

  static Stream<Arguments> deliveries() {
    return TestScope.cases(
        1,
        Arguments.of("artemis", true),
        Arguments.of("artemis", false),
        Arguments.of("classic", true));
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("deliveries")
  void shouldReportWhatAnEarlierConsumerReceived(String provider, boolean transacted)
      throws Exception {
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start(provider)) {
      TestCluster cluster = new TestCluster("late-" + provider + transacted, broker, 2);
      try (TestNode early = TestCluster.start(config(cluster, broker, 0));
          TestNode later = TestCluster.start(config(cluster, broker, 1));
          Connection connection = connection(broker)) {
        RawWebSocket leaving = open(early, all);
        JsonNode subscribed = leaving.subscribe(1, TOPIC);
        RawWebSocket staying = open(early, all);
        staying.subscribe(1, TOPIC);
        RawWebSocket ordinary = open(early, all);
        ordinary.subscribe(1, ORDINARY);
        caughtUp(leaving, subscribed.get("time").asLong() + 1);

        Session session =
            connection.createSession(
                transacted, transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
        send(session, TOPIC, LATE, transacted ? 0 : DELAY_MS);
        long sentMs = System.currentTimeMillis();
        // These consumers are opened more than a margin after the message was sent.
        caughtUp(staying, sentMs + 4 * MARGIN.toMillis());
        RawWebSocket fresh = open(later, all);
        fresh.subscribe(1, TOPIC);
        RawWebSocket pattern = open(early, all);
        pattern.subscribe(1, PATTERN);
        RawWebSocket ordinaryThere = open(later, all);
        long openMs = ordinaryThere.subscribe(1, ORDINARY).get("time").asLong();
        // The position is old enough for the log of the later node.
        JsonNode known = caughtUp(leaving, openMs + 3 * MARGIN.toMillis());
        caughtUp(fresh, openMs + 3 * MARGIN.toMillis());
        leaving.close();
        if (transacted) {
          session.commit();
        }

        assertThat(receives(staying)).as("received by the earlier consumer").isTrue();
        boolean atDelivery = provider.equals("classic");
        assertThat(receives(fresh)).as("fresh subscriber").isEqualTo(atDelivery);
        assertThat(receives(pattern)).as("other interest").isEqualTo(atDelivery);
        RawWebSocket moved = open(later, all);
        ObjectNode subscribe = JsonNodeFactory.instance.objectNode();
        subscribe.put("type", "subscribe").put("ref", 1).put("topic", TOPIC);
        subscribe.set("from", position(subscribed, known));
        moved.text(subscribe.toString());
        boolean recovered = moved.await("subscribed").get("recovered").asBoolean();
        if (recovered) {
          assertThat(receives(moved)).as("recovered").isTrue();
        }
        assertThat(recovered && !atDelivery).as("recovered without the message").isFalse();

        assertOrdinary(connection, ordinary, ordinaryThere);
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  private static void assertOrdinary(Connection connection, RawWebSocket... clients)
      throws JMSException {
    send(connection.createSession(false, Session.AUTO_ACKNOWLEDGE), ORDINARY, LATE, 0);
    for (RawWebSocket client : clients) {
      assertThat(receives(client)).as("no gap of an ordinary topic").isTrue();
    }
  }
}
