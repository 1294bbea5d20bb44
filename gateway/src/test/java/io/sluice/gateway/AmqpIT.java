package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.broker.plugged.AmqpBroker;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.BrokerJ;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.RawWebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node with {@code broker.provider} amqp. */
@Timeout(180)
final class AmqpIT {
  @TempDir private Path folder;

  private static Config config(String url) {
    return TestNode.config("amqp", url)
        .with(BrokerSettings.JARS, AmqpBroker.CLIENT.toString())
        .with(TopicSettings.QUEUES_SEND, List.of(">"))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"));
  }

  private static void exchange(String url) {
    try (TestNode node = TestNode.start(config(url));
        RawWebSocket publisher = node.json();
        RawWebSocket client = node.json()) {
      node.awaitReady();
      client.subscribe(1, "stocks.>");
      publisher.publish(2, "stocks.eu.7", "topic"); // the message may precede the answer
      JsonNode message = client.await("message");
      assertThat(message.get("topic").asText()).isEqualTo("stocks.eu.7");
      assertThat(message.get("payload").asText()).isEqualTo("topic");

      client.text("{\"type\":\"publish\",\"ref\":3,\"queue\":\"orders\",\"payload\":\"queue\"}");
      client.await("published");
      client.text("{\"type\":\"consume\",\"ref\":4,\"queue\":\"orders\",\"credit\":1}");
      JsonNode delivery = client.await("delivery");
      assertThat(delivery.get("payload").asText()).isEqualTo("queue");
      client.text(
          "{\"type\":\"ack\",\"ref\":5,\"subscription\":4,\"tag\":%d}"
              .formatted(delivery.get("tag").asLong()));
      client.await("settled");

      client.text(
          "{\"type\":\"publish\",\"ref\":6,\"queue\":\"orders\",\"payload\":\"x\",\"delay\":1000}");
      assertThat(client.await("error").get("code").asText()).isEqualTo("unsupported");
    }
  }

  @Test
  void shouldServeTopicsAndQueuesOfBrokerJ() {
    try (BrokerJ broker = BrokerJ.start(folder)) {
      exchange(broker.url());
    }
  }

  @Tag("full")
  @Test
  void shouldServeTopicsAndQueuesOfArtemis() {
    try (AmqpBroker broker = new AmqpBroker()) {
      exchange(broker.url());
    }
  }

  @Tag("full")
  @Test
  void shouldConfirmOnlyWhatTheBrokerHasAccepted() {
    try (BrokerJ broker = BrokerJ.start(folder);
        HalfOpenLink link = new HalfOpenLink(broker.url());
        TestNode node =
            TestNode.start(
                config(broker.through(link)),
                BrokerSettings.PUBLISH_TIMEOUT,
                Duration.ofSeconds(2));
        RawWebSocket client = node.json()) {
      node.awaitReady();
      client.publish(1, "stocks.eu", "accepted");
      link.fallSilent();
      client.text("{\"type\":\"publish\",\"ref\":2,\"topic\":\"stocks.eu\",\"payload\":\"x\"}");
      assertThat(client.await("error").get("ref").asInt()).isEqualTo(2);
      link.speakAgain();
      node.awaitReady();
      client.publish(3, "stocks.eu", "again");
    }
  }

  /** The broker stores the persistent message of the queue. */
  @Tag("full")
  @Test
  void shouldReconnectToARestartedBroker() {
    try (BrokerJ broker = BrokerJ.start(folder);
        TestNode node = TestNode.start(config(broker.url()));
        RawWebSocket client = node.request().timeout(Duration.ofMinutes(1)).open()) {
      node.awaitReady();
      client.subscribe(1, "stocks.*");
      client.text("{\"type\":\"publish\",\"ref\":2,\"queue\":\"orders\",\"payload\":\"kept\"}");
      client.await("published");

      broker.kill();
      client.await("stale");
      broker.restart();
      client.await("gap");

      client.publish(3, "stocks.eu", "again");
      assertThat(client.payloads(1)).containsExactly("again");
      client.text("{\"type\":\"consume\",\"ref\":4,\"queue\":\"orders\",\"credit\":1}");
      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("kept");
    }
  }
}
