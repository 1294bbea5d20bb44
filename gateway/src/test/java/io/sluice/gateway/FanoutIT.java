package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/** Many clients, few topics: what the broker's own management counts. */
final class FanoutIT {
  private static final int CLIENTS = 1_000;
  private static final int TOPICS = 10;
  private static final int MESSAGES = 20;

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldUseOneConnectionAndOneConsumerPerTopic(String provider) throws Exception {
    List<RawWebSocket> clients = new ArrayList<>();
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                TestNode.config(provider, broker.url()),
                BrokerSettings.LINGER,
                Duration.ofMillis(500))) {
      for (int i = 0; i < CLIENTS; i++) {
        RawWebSocket client = i % 2 == 0 ? node.json() : node.binary();
        clients.add(client);
        client.subscribe(1, "fan." + i % TOPICS);
      }
      assertThat(broker.connections()).isEqualTo(1);
      assertThat(consumers(broker)).isEqualTo(TOPICS);
      assertThat(node.metric("sluice_interests")).isEqualTo(TOPICS);

      publish(broker);
      for (int i = 0; i < CLIENTS; i++) {
        checkSequence(clients.get(i), i % 2 == 0);
      }

      clients.forEach(RawWebSocket::close);
      await().atMost(Duration.ofMinutes(2)).until(() -> consumers(broker) == 0);
      assertThat(broker.connections()).as("the connection stays").isEqualTo(1);
      await().until(() -> node.metric("sluice_subscriptions") == 0);
    } finally {
      clients.forEach(RawWebSocket::close);
    }
  }

  private static int consumers(TestBroker broker) {
    int all = 0;
    for (int topic = 0; topic < TOPICS; topic++) {
      all += broker.consumers("fan." + topic);
    }
    return all;
  }

  private static void publish(TestBroker broker) throws Exception {
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      for (int message = 1; message <= MESSAGES; message++) {
        for (int topic = 0; topic < TOPICS; topic++) {
          publisher.text("fan." + topic, "SEQ=" + message);
        }
      }
    }
  }

  private static void checkSequence(RawWebSocket client, boolean json) {
    for (int message = 1; message <= MESSAGES; message++) {
      String payload =
          json
              ? client.await("message").get("payload").asText()
              : BinaryMessage.read(client.readBinary()).text();
      assertThat(payload).isEqualTo("SEQ=" + message);
    }
  }
}
