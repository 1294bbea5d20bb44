package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.util.List;

/** Scenarios of example clients that consume a queue or send requests, with a real node. */
final class QueueScenes {
  private static final List<String> ORDERS = List.of("orders");
  private static final List<String> QUOTES = List.of("quotes");

  private QueueScenes() {}

  /** Way to start an example client. */
  @FunctionalInterface
  interface Starter {
    ClientProcess start(String... arguments) throws Exception;
  }

  /** Tests that a consumer receives a message that was not settled again, and settles all. */
  static void consume(Starter consumer) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_CONSUME, ORDERS)
                    .with(TopicSettings.QUEUES_BROWSE, ORDERS)
                    .with(TopicSettings.QUEUES_SEND, ORDERS))) {
      node.awaitReady();
      receiveWithoutAcknowledging(node);
      try (ClientProcess client = consumer.start(ExampleClientScenes.url(node), "orders");
          RawWebSocket observer = node.json()) {
        client.awaitEntry("AGAIN 1");
        send(observer, "2");
        client.awaitEntry("MESSAGE 2");
        await()
            .untilAsserted(
                () -> {
                  observer.text("{\"type\":\"browse\",\"ref\":3,\"queue\":\"orders\"}");
                  assertThat(observer.await("browsed").get("count").asInt()).isZero();
                });
        assertThat(client.entries()).containsExactly("CONSUMING", "AGAIN 1", "MESSAGE 2");
      }
    }
  }

  /** Sends a message to the queue, and closes the connection that has received it. */
  private static void receiveWithoutAcknowledging(TestNode node) {
    try (RawWebSocket client = node.json()) {
      send(client, "1");
      client.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"orders\"}");
      client.await("delivery");
    }
  }

  private static void send(RawWebSocket client, String payload) {
    client.text(
        "{\"type\":\"publish\",\"ref\":2,\"queue\":\"orders\",\"payload\":\"%s\"}"
            .formatted(payload));
    client.await("published");
  }

  /** Tests that a requester receives a reply, and a refusal for a forbidden queue. */
  static void request(Starter requester) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_CONSUME, QUOTES)
                    .with(TopicSettings.QUEUES_SEND, QUOTES));
        RawWebSocket service = node.json()) {
      node.awaitReady();
      service.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"quotes\"}");
      service.await("consuming");
      String url = ExampleClientScenes.url(node);
      try (ClientProcess client = requester.start(url, "quotes", "EURUSD")) {
        long tag = service.await("delivery").get("tag").asLong();
        service.text(
            "{\"type\":\"respond\",\"ref\":2,\"subscription\":1,\"tag\":%d,\"payload\":\"1.09\"}"
                .formatted(tag));
        client.awaitEntry("REPLY 1.09");
      }
      try (ClientProcess client = requester.start(url, "others", "EURUSD")) {
        client.awaitRefusal();
      }
    }
  }
}
