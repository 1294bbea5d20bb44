package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.SETTLED;
import static io.sluice.gateway.protocol.Settlement.ACK;
import static io.sluice.gateway.protocol.Settlement.REJECT;
import static io.sluice.gateway.protocol.Settlement.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestBroker;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Durable and shared subscriptions of clients at real brokers; plugged is any other provider. */
@Timeout(180)
final class SubscriptionsIT {
  /** Time in which a message would arrive that must not. */
  private static final long QUIET_MS = 200;

  /** A virtual topic of Classic, and an ordinary one of the other brokers. */
  private static final String TOPIC = "VirtualTopic.orders";

  private static final TopicSubscription DESK = durable("desk-1");
  private static final TopicSubscription WORKERS =
      new TopicSubscription("ann@example.com", TOPIC, "workers", false);

  @TempDir private Path data;
  private TestBroker server;
  private QueueScene scene;

  private static TopicSubscription durable(String name) {
    return new TopicSubscription("ann@example.com", TOPIC, name, true);
  }

  private static TopicSubscription of(String topic) {
    return new TopicSubscription("ann@example.com", topic, "desk-1", true);
  }

  @AfterEach
  void close() {
    if (scene != null) {
      scene.close();
    }
    server.close();
  }

  private void start(String client) {
    server =
        client.equals("classic")
            ? ClassicBroker.start()
            : ArtemisProcess.start("--attempts", "3", "--closed", "closed");
    scene = new QueueScene(config(client));
  }

  private void startWithData(String client) {
    server =
        client.equals("classic")
            ? ClassicBroker.start(data)
            : ArtemisProcess.start("--data", data.toString());
    scene = new QueueScene(config(client));
  }

  private Config config(String client) {
    Config config = PublishScene.config(client, server.url());
    return client.equals("plugged")
        ? config
            .with(BrokerSettings.CONNECTION_FACTORY, ActiveMQConnectionFactory.class.getName())
            .with(BrokerSettings.WILDCARDS, Map.of("rest", "#"))
        : config;
  }

  private ConnectionFactory factory() {
    return server.provider().equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
        : new ActiveMQConnectionFactory(server.url());
  }

  private void publish(String topic, String... texts) throws Exception {
    QueueScene.publish(factory(), topic, texts);
  }

  /** Ends a consumer and waits until the broker has closed it. */
  private void end(Client client) {
    client.consumer().close();
    await().until(() -> scene.meters().consumers() == 0);
  }

  private String opened(TopicSubscription subscription, String where) {
    return scene.open(subscription, where, 1).next();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldRetainMessagesWhileNobodyConsumes(String client) throws Exception {
    start(client);
    publish(TOPIC, "early");
    Client first = scene.consume(DESK, 1);
    publish(TOPIC, "a");
    assertThat(first.next()).isEqualTo("a#1");
    assertThat(first.settle(ACK, 1)).isEqualTo(SETTLED);

    end(first);
    publish(TOPIC, "b", "c");

    Client second = scene.consume(DESK, 1);
    assertThat(second.next()).isEqualTo("b#1");
    assertThat(second.settle(ACK, 1)).isEqualTo(SETTLED);
    assertThat(second.next()).isEqualTo("c#2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldSettleMessagesLikeThoseOfAQueue(String client) throws Exception {
    start(client);
    Client desk = scene.consume(DESK, 2);
    publish(TOPIC, "a", "b");
    assertThat(List.of(desk.next(), desk.next())).containsExactly("a#1", "b#2");

    assertThat(desk.settle(REJECT, 1)).isEqualTo(SETTLED);
    assertThat(desk.settle(RELEASE, 2)).isEqualTo(SETTLED);

    assertThat(desk.next()).isEqualTo("b#3 again");
    String dead = client.equals("classic") ? "ActiveMQ.DLQ" : "DLQ";
    assertThat(scene.browse(dead, null, 10)).containsExactly("a", "1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldShareADurableSubscriptionAmongNodes(String client) throws Exception {
    start(client);
    try (QueueScene other = new QueueScene(config(client))) {
      checkShared(scene.consume(DESK, 2), other.consume(DESK, 2));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "plugged"})
  void shouldShareASharedSubscriptionAmongNodes(String client) throws Exception {
    start(client);
    try (QueueScene other = new QueueScene(config(client))) {
      checkShared(scene.consume(WORKERS, 2), other.consume(WORKERS, 2));
    }
  }

  private void checkShared(Client first, Client second) throws Exception {
    publish(TOPIC, "a", "b", "c", "d", "e", "f");
    Set<String> received = new TreeSet<>();
    while (received.size() < 6) {
      for (Client each : List.of(first, second)) {
        String event = each.next(1);
        if (event != null) {
          assertThat(received.add(event.substring(0, 1))).as(event).isTrue();
          long tag = Long.parseLong(event.substring(2));
          assertThat(each.settle(ACK, tag)).isEqualTo(SETTLED);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "plugged"})
  void shouldRetainMessagesOfASharedSubscriptionOnlyWhileItHasAConsumer(String client)
      throws Exception {
    start(client);
    Client first = scene.consume(WORKERS, 1);
    Client second = scene.consume(WORKERS, 0);
    publish(TOPIC, "a", "b");
    assertThat(first.next()).isEqualTo("a#1");

    first.consumer().close();
    second.consumer().credit(2);
    Set<String> received = new TreeSet<>();
    while (received.size() < 2) {
      String event = second.next();
      received.add(event.substring(0, 1));
      assertThat(second.settle(ACK, event.charAt(2) - '0')).isEqualTo(SETTLED);
    }
    assertThat(received).containsExactly("a", "b");
    end(second);
    publish(TOPIC, "c");

    Client third = scene.consume(WORKERS, 2);
    publish(TOPIC, "d");
    assertThat(third.next()).isEqualTo("d#1");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldSurviveARestartOfTheBrokerWithoutConsumers(String client) throws Exception {
    startWithData(client);
    end(scene.consume(DESK, 1));
    end(scene.consume(durable("desk-2"), 1));
    publish(TOPIC, "a");
    Client emptied = scene.consume(durable("desk-2"), 1);
    assertThat(emptied.next()).isEqualTo("a#1");
    assertThat(emptied.settle(ACK, 1)).isEqualTo(SETTLED);
    end(emptied);

    server.kill();
    server.restart();
    publish(TOPIC, "b");

    await().until(() -> scene.list(null, 10).size() == 2);
    Client desk = scene.consume(DESK, 2);
    assertThat(List.of(desk.next(), desk.next()))
        .containsExactlyInAnyOrder("a#1", "b#2")
        .allMatch(desk::isMarked); // accepted before the connection, or shortly after
    assertThat(scene.consume(durable("desk-2"), 2).next()).startsWith("b#1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRedeliverAfterTheLossOfTheBroker(String client) throws Exception {
    startWithData(client);
    Client desk = scene.consume(DESK, 1);
    publish(TOPIC, "a");
    assertThat(desk.next()).isEqualTo("a#1");

    server.kill();
    assertThat(desk.next()).isEqualTo("released 0 broker-lost");
    server.restart();

    assertThat(desk.next()).isEqualTo("a#2");
    assertThat(desk.isMarked("a#2")).isTrue();
    assertThat(desk.settle(ACK, 2)).isEqualTo(SETTLED);
  }

  @Tag("full")
  @Test
  void shouldReportALossToConsumersOfASharedSubscriptionWithoutPendingMessages() throws Exception {
    start("artemis");
    Client worker = scene.consume(WORKERS, 1);
    Client desk = scene.consume(DESK, 1);

    server.kill();
    assertThat(worker.next()).isEqualTo("released 0 broker-lost");
    server.restart();

    await().until(() -> !scene.list("ann@example.com", 1).toString().contains("unavailable"));
    assertThat(desk.next(QUIET_MS)).isNull();
    assertThat(worker.next(QUIET_MS)).isNull();
  }

  @Test
  void shouldDeliverSelectedMessagesOnly() throws Exception {
    start("artemis");
    Client desk = scene.open(DESK, "kind = 'y' AND JMSPriority < 9", 5);
    assertThat(desk.next()).isEqualTo("consuming");
    publish(TOPIC, "xa", "yb", "xc");

    assertThat(desk.next()).isEqualTo("yb#1");
    assertThat(scene.list("ann@example.com", 10))
        .containsExactly(
            "ann@example.com VirtualTopic.orders desk-1 where kind = 'y' AND JMSPriority < 9: 1"
                + " messages, 1 consumers");
    assertThat(opened(DESK, "kind = 'y' AND JMSPriority < 9")).isEqualTo("consuming");
    String exists =
        "refused subscription-exists: the subscription exists with another selector (where)";
    assertThat(opened(DESK, "kind = 'x'")).isEqualTo(exists);
    assertThat(opened(DESK, null)).isEqualTo(exists);
    assertThat(opened(durable("desk-2"), "kind = = 'x'"))
        .startsWith("refused invalid-selector: the broker refuses the selector: ");
    assertThat(scene.list("ann@example.com", 10)).as("nothing was created").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "plugged-artemis"})
  void shouldNotShareASharedSubscriptionWithAnotherSelector(String client) {
    start(client);
    assertThat(scene.open(WORKERS, "kind = 'x'", 1).next()).isEqualTo("consuming");

    assertThat(opened(WORKERS, null)).startsWith("refused subscription-exists");
    assertThat(opened(WORKERS, "kind = 'x'")).isEqualTo("consuming");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldLimitTheDurableSubscriptionsOfAPrincipal(String client) throws Exception {
    server = TestBroker.start(client);
    scene = new QueueScene(config(client).with(LimitSettings.DURABLES, 2));
    end(scene.consume(DESK, 1));
    end(scene.consume(durable("desk-2"), 1));

    assertThat(opened(durable("desk-3"), null))
        .isEqualTo(
            "refused too-many-subscriptions: the client has 2 durable subscriptions at the broker,"
                + " the maximum (limits.durables)");
    scene.consume(DESK, 1); // exists
    scene.consume(new TopicSubscription("", TOPIC, "desk-3", true), 1); // another principal
    assertThat(scene.delete(durable("desk-2"))).isEqualTo("deleted");
    scene.consume(durable("desk-3"), 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldDeleteASubscriptionWithoutConsumers(String client) throws Exception {
    start(client);
    String unknown = "unknown-subscription: there is no such durable subscription";
    assertThat(scene.delete(DESK)).isEqualTo(unknown);
    Client desk = scene.consume(DESK, 1);
    publish(TOPIC, "a");

    assertThat(scene.delete(DESK))
        .isEqualTo("subscription-in-use: the subscription has consumers: end them first");
    assertThat(desk.next()).isEqualTo("a#1");
    end(desk);
    assertThat(scene.delete(DESK)).isEqualTo("deleted");

    assertThat(scene.delete(DESK)).isEqualTo(unknown);
    assertThat(scene.list(null, 10)).isEmpty();
    Client next = scene.consume(DESK, 1);
    publish(TOPIC, "b");
    assertThat(next.next()).isEqualTo("b#1");
  }

  @Test
  void shouldNotListTheQueuesOfClassicForEachConsumer() throws Exception {
    ClassicBroker classic = ClassicBroker.start();
    server = classic;
    scene = new QueueScene(config("classic"));
    scene.consume(DESK, 1);
    scene.consume(durable("desk-2"), 1); // lists the other one

    classic.failConsumersOf("ActiveMQ.Advisory.Queue");

    scene.consume(DESK, 1);
    assertThat(opened(durable("desk-3"), null)).startsWith("refused broker-unavailable");
  }

  @Tag("full")
  @Test
  void shouldListAllSubscriptionsOfClassicEachTime() throws Exception {
    start("classic");
    List<String> queues = IntStream.range(0, 200).mapToObj(n -> "other" + n).toList();
    for (String queue : queues) {
      QueueScene.send(factory(), queue, "a");
    }
    scene.consume(DESK, 1);
    scene.consume(new TopicSubscription("bob_", "VirtualTopic.b", "x-_1", true), 1);

    for (int i = 0; i < 200; i++) {
      assertThat(scene.list(null, 10))
          .containsExactly(
              "ann@example.com VirtualTopic.orders desk-1 where null: -1 messages, -1 consumers",
              "bob_ VirtualTopic.b x-_1 where null: -1 messages, -1 consumers");
    }
  }

  @Tag("full")
  @Test
  void shouldListSubscriptionsInOrder() throws Exception {
    start("artemis");
    scene.consume(new TopicSubscription("bob", "b.>", "x_1", true), 1);
    scene.consume(new TopicSubscription("", "b", "x", true), 1);
    Client first = scene.consume(new TopicSubscription("bob", "a", "y", true), 1);
    scene.consume(WORKERS, 1);
    publish("a", "1", "2");
    assertThat(first.next()).isEqualTo("1#1");

    assertThat(scene.list("bob", 10))
        .containsExactly(
            "bob a y where null: 2 messages, 1 consumers",
            "bob b.> x_1 where null: 0 messages, 1 consumers");
    assertThat(scene.list(null, 2))
        .containsExactly(
            " b x where null: 0 messages, 1 consumers",
            "bob a y where null: 2 messages, 1 consumers");
    assertThat(scene.list("bo", 10)).isEmpty();
  }

  @Test
  void shouldNameTheTopicOfAPatternsMessages() throws Exception {
    start("artemis");
    Client desk = scene.consume(of("orders.>"), 5);
    publish("orders.eu", "a");
    publish("orders.us.ny", "b");
    publish("trades.eu", "c");
    publish("orders.eu", "d");

    assertThat(List.of(desk.next(), desk.next(), desk.next()))
        .containsExactly("orders.eu a#1", "orders.us.ny b#2", "orders.eu d#3");
  }

  @Test
  void shouldServeTheLongestNames() throws Exception {
    start("artemis");
    String longest = "\u20ac.*'%".repeat(51);
    TopicSubscription subscription =
        new TopicSubscription(longest, "a.\u00fc'.*.>", "x".repeat(64), true);
    Client desk = scene.consume(subscription, 1);
    publish("a.\u00fc'.b.c", "m");

    assertThat(desk.next()).isEqualTo("a.\u00fc'.b.c m#1");
    assertThat(scene.list(longest, 10)).hasSize(1);
  }

  @Test
  void shouldRefuseAMissingTopicThatTheBrokerDoesNotCreate() throws Exception {
    start("artemis");

    assertThat(opened(of("closed.orders"), null))
        .isEqualTo("refused unknown-topic: the broker has no such topic");
    assertThat(scene.list(null, 10)).isEmpty();
  }

  @Test
  void shouldRefuseReservedNames() {
    start("artemis");
    end(scene.consume(DESK, 1));

    for (String topic : List.of(">", "*.a", "sluice.>", "activemq.management", "a::b")) {
      assertThat(opened(of(topic), null)).as(topic).startsWith("refused forbidden");
    }
    String queue = "sluice.durable.ann_0040example_002ecom.desk-1.VirtualTopic.orders";
    for (String name : List.of(queue, TOPIC + "::" + queue, "sluice.durables")) {
      assertThat(scene.open(name, null, 1).next()).as(name).startsWith("refused forbidden");
    }
  }

  @Test
  void shouldRefuseTheQueuesOfSubscriptionsOfAnotherProvider() throws Exception {
    start("plugged");
    end(scene.consume(DESK, 1));
    publish(TOPIC, "a");

    String queue = "sluice.durable.ann_0040example_002ecom.desk-1." + TOPIC;
    assertThat(scene.open(queue, null, 1).next()).startsWith("refused forbidden");
    assertThat(scene.consume(DESK, 1).next()).isEqualTo("a#1");
  }

  @Tag("full")
  @Test
  void shouldDeleteAnUnusedSubscription() throws Exception {
    server = ArtemisProcess.start();
    scene = new QueueScene(config("artemis").with(TopicSettings.DURABLE_EXPIRY, seconds(10)));
    scene.consume(durable("used"), 1);
    long startNs = System.nanoTime();
    Client unused = scene.consume(DESK, 1);
    unused.consumer().close();
    publish(TOPIC, "a");

    await().atMost(seconds(60)).until(() -> scene.list(null, 10).size() == 1);

    assertThat(since(startNs)).isGreaterThan(seconds(10));
    assertThat(scene.list(null, 10).get(0)).contains(" used ");
    assertThat(scene.delete(DESK)).startsWith("unknown-subscription");
  }

  @Tag("full")
  @Test
  void shouldKeepSubscriptionsThroughAnOutageLongerThanTheExpiry() throws Exception {
    server = ArtemisProcess.start("--data", data.toString());
    scene = new QueueScene(config("artemis").with(TopicSettings.DURABLE_EXPIRY, seconds(10)));
    end(scene.consume(DESK, 1));
    publish(TOPIC, "a");

    server.kill();
    long outageNs = System.nanoTime();
    await().atMost(seconds(60)).until(() -> since(outageNs).compareTo(seconds(15)) > 0);
    server.restart();

    await().atMost(seconds(60)).until(() -> scene.list(null, 10).toString().contains("desk-1"));
    await().during(seconds(3)).atMost(seconds(60)).until(() -> scene.list(null, 10).size() == 1);
    assertThat(scene.consume(DESK, 1).next()).startsWith("a#1");
  }

  private static Duration since(long startNs) {
    return Duration.ofNanos(System.nanoTime() - startNs);
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "plugged"})
  void shouldNameWhatTheBrokerSupports(String client) throws Exception {
    start(client);

    assertThat(opened(DESK, "a = 1"))
        .startsWith("refused unsupported: this broker supports durable subscriptions");
    if (client.equals("classic")) {
      String supported =
          "refused unsupported: this broker supports durable subscriptions of single topics below"
              + " VirtualTopic, without a selector (where); no shared ones";
      assertThat(opened(WORKERS, null)).isEqualTo(supported);
      assertThat(opened(of("orders"), null)).isEqualTo(supported);
      assertThat(opened(of("VirtualTopic.>"), null)).isEqualTo(supported);
    } else {
      assertThat(scene.list(null, 10))
          .containsExactly("unsupported: this broker does not list durable subscriptions");
    }
  }
}
