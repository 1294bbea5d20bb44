package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.client.ConsumeOptions;
import io.sluice.client.Consumer;
import io.sluice.client.ConsumerState;
import io.sluice.client.Destination;
import io.sluice.client.Gap;
import io.sluice.client.Message;
import io.sluice.client.Presence;
import io.sluice.client.PresenceMember;
import io.sluice.client.PresenceOptions;
import io.sluice.client.PublishOptions;
import io.sluice.client.Queue;
import io.sluice.client.SluiceClient;
import io.sluice.client.SluiceException;
import io.sluice.client.SubscribeOptions;
import io.sluice.client.Subscription;
import io.sluice.client.SubscriptionListener;
import io.sluice.client.SubscriptionState;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Client for the JVM and Android, sluice-client, with real nodes and brokers. */
final class OkHttpClientIT extends MovingClientScenes {
  private static final String QUEUE = "orders";

  @Override
  ExampleClient start(String url, String topic) {
    return new Running(url, topic);
  }

  private static TestNode node(TestBroker broker) {
    return TestNode.start(
        TestNode.config("artemis", broker.url())
            .with(TopicSettings.PUBLISH_TOPICS, List.of(">"))
            .with(TopicSettings.TOPICS_DURABLE, List.of("orders.>"))
            .with(TopicSettings.QUEUES_CONSUME, List.of(QUEUE))
            .with(TopicSettings.QUEUES_SEND, List.of(QUEUE)));
  }

  private static SluiceClient connect(TestNode node) {
    node.awaitReady();
    return SluiceClient.builder(url(node)).build();
  }

  @Tag("full")
  @Test
  void shouldPublishAndReceiveEachKindOfPayload() throws Exception {
    List<Object> received = new CopyOnWriteArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker);
        SluiceClient client = connect(node)) {
      Subscription subscription =
          client.subscribe(
              "chat.>",
              SubscribeOptions.DEFAULT.fromLast(10),
              message -> received.add(message.payload().json()));
      await().until(() -> subscription.state() == SubscriptionState.LIVE);
      client.publish("chat.1", "{\"a\":1}", PublishOptions.DEFAULT.id("1")).join();
      client.publish("chat.1", "{\"a\":1}", PublishOptions.DEFAULT.id("1")).join();
      client.publish("chat.2", "[2]".getBytes()).join();
      client.publish("chat.3", Map.of("b", 3)).join();
      await().untilAsserted(() -> assertThat(received).hasSize(3));
      assertThat(received).containsExactlyInAnyOrder(Map.of("a", 1L), List.of(2L), Map.of("b", 3L));
    }
  }

  @Tag("full")
  @Test
  void shouldConsumeQueuesWithAutomaticAcknowledgement() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker);
        SluiceClient client = connect(node)) {
      Queue queue = client.queue(QUEUE);
      Consumer consumer =
          queue.consume(
              delivery -> {
                boolean again = delivery.redelivered() && !delivery.isRedeliveryUnknown();
                received.add(delivery.text() + (again ? " again" : ""));
                if (!again) {
                  throw new IllegalStateException("first attempt");
                }
              });
      queue.publish("1").join();
      await().untilAsserted(() -> assertThat(received).containsExactly("1", "1 again"));
      consumer.closeAsync().join();
      queue.publish("2").join();
      // The queue contains only the message that was not acknowledged.
      queue.consume(delivery -> received.add(delivery.text()), 10);
      await().untilAsserted(() -> assertThat(received).containsExactly("1", "1 again", "2"));
    }
  }

  @Tag("full")
  @Test
  void shouldSendRequestsAndRespond() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker);
        SluiceClient client = connect(node)) {
      client.queue(QUEUE).consume(delivery -> delivery.respond("re: " + delivery.text()).join());
      assertThat(client.queue(QUEUE).request("EURUSD").join().text()).isEqualTo("re: EURUSD");
      assertThatThrownBy(() -> client.queue("others").request("EURUSD").join())
          .hasCauseInstanceOf(SluiceException.class)
          .satisfies(
              e -> assertThat(((SluiceException) e.getCause()).code()).isEqualTo("forbidden"));
      assertThatThrownBy(
              () ->
                  client
                      .request("nobody", "?", Duration.ofMillis(100), PublishOptions.DEFAULT)
                      .join())
          .hasCauseInstanceOf(SluiceException.class)
          .satisfies(e -> assertThat(((SluiceException) e.getCause()).code()).isEqualTo("timeout"));
    }
  }

  @Tag("full")
  @Test
  void shouldConsumeDurableSubscriptionsAndDeleteThem() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    List<ConsumerState> states = new CopyOnWriteArrayList<>();
    ConsumeOptions options = ConsumeOptions.DEFAULT.credit(10).onState(states::add);
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker);
        SluiceClient client = connect(node)) {
      Consumer first =
          client.durable("orders.>", "desk-1").consume(d -> received.add(d.text()), options);
      await().untilAsserted(() -> assertThat(states).contains(ConsumerState.CONSUMING));
      first.closeAsync().join();
      client.publish("orders.eu", "1").join();
      Consumer second =
          client
              .durable("orders.>", "desk-1")
              .consume(d -> received.add(d.topic() + " " + d.text()), options);
      await().untilAsserted(() -> assertThat(received).containsExactly("orders.eu 1"));
      second.closeAsync().join();
      client.durable("orders.>", "desk-1").delete().join();
    }
  }

  @Tag("full")
  @Test
  void shouldCommitTransactions() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = node(broker);
        SluiceClient client = connect(node)) {
      client.subscribe("audit", message -> received.add(message.text()));
      client
          .queue(QUEUE)
          .consume(
              delivery ->
                  client
                      .transaction(
                          transaction ->
                              transaction
                                  .publish(Destination.topic("audit"), delivery.text())
                                  .ack(delivery))
                      .join());
      client.queue(QUEUE).publish("1").join();
      client.queue(QUEUE).publish("2").join();
      await().untilAsserted(() -> assertThat(received).containsExactly("1", "2"));
    }
  }

  @Tag("full")
  @Test
  void shouldShowThePresenceOfOtherClients() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.PRESENCE_TOPICS, List.of("room.*")));
        SluiceClient ann = connect(node)) {
      Presence presence = ann.presence("room.1", PresenceOptions.DEFAULT.info("Ann")).join();
      assertThat(presence.members()).extracting(PresenceMember::info).containsExactly("Ann");
      try (SluiceClient bob = connect(node)) {
        Presence watched =
            bob.presence("room.1", PresenceOptions.DEFAULT.watchOnly().countOnly()).join();
        assertThat(watched.count()).isEqualTo(1);
        assertThat(watched.members()).isNull();
        watched.leave();
        bob.presence("room.1", PresenceOptions.DEFAULT.info("Bob")).join();
        await().untilAsserted(() -> assertThat(presence.count()).isEqualTo(2));
        assertThat(presence.members())
            .extracting(PresenceMember::info)
            .containsExactlyInAnyOrder("Ann", "Bob");
      }
      await().untilAsserted(() -> assertThat(presence.count()).isEqualTo(1));
      assertThatThrownBy(() -> ann.presence("others").join())
          .satisfies(
              e -> assertThat(((SluiceException) e.getCause()).code()).isEqualTo("forbidden"));
    }
  }

  private static final class Running implements ExampleClient, SubscriptionListener {
    private final List<String> entries = new CopyOnWriteArrayList<>();
    private final SluiceClient client;

    Running(String url, String topic) {
      client = SluiceClient.builder(url.split(",")).build();
      client.subscribe(topic, this);
    }

    @Override
    public void onState(SubscriptionState state) {
      if (state == SubscriptionState.LIVE) {
        entries.add(SUBSCRIBED);
      }
    }

    @Override
    public void onMessage(Message message) {
      entries.add(MESSAGE + message.text());
    }

    @Override
    public void onGap(Gap gap) {
      entries.add(GAP + gap.reason());
    }

    @Override
    public void onError(SluiceException error) {
      entries.add("ERROR " + error.code() + " " + error.getMessage());
    }

    @Override
    public List<String> entries() {
      return List.copyOf(entries);
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
