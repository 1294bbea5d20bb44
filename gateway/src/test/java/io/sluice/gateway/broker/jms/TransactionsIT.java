package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.COMMITTED;
import static io.sluice.gateway.broker.jms.QueueScene.LONG_S;
import static io.sluice.gateway.broker.jms.QueueScene.text;
import static io.sluice.gateway.protocol.Settlement.ACK;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestBroker;
import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions at real brokers; plugged is any other JMS provider. */
@Timeout(180)
final class TransactionsIT {
  private TestBroker server;
  private QueueScene scene;

  @AfterEach
  void close() {
    if (scene != null) {
      scene.close();
    }
    server.close();
  }

  private void start(String client) {
    server =
        client.equals("artemis")
            ? ArtemisProcess.start("--guarded", "guarded", "--closed", "closed")
            : guardedClassic();
    // Otherwise this client sends in transactions without waiting, and closes the connection after
    // a refusal.
    String url =
        client.equals("plugged") ? server.url() + "?jms.alwaysSyncSend=true" : server.url();
    scene = new QueueScene(PublishScene.config(client, url));
  }

  private static TestBroker guardedClassic() {
    ClassicBroker broker = ClassicBroker.start();
    broker.refuse(ClassicBroker.Refusal.MESSAGES, "guarded");
    return broker;
  }

  private ConnectionFactory factory() {
    return server.provider().equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(server.url());
  }

  private static String result(Future<String> outcome) throws Exception {
    return outcome.get(LONG_S, TimeUnit.SECONDS);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldPublishAllMessagesInTheirOrder(String client) throws Exception {
    start(client);
    Publication[] publications =
        IntStream.range(0, 100)
            .mapToObj(n -> text(n % 2 == 0 ? "even" : "odd", "m" + n))
            .toArray(Publication[]::new);

    assertThat(result(scene.publish(publications))).isEqualTo(COMMITTED);
    assertThat(result(scene.publish(text("even", "last")))).isEqualTo(COMMITTED);

    List<String> even = new ArrayList<>();
    IntStream.range(0, 50).forEach(n -> even.add("m" + 2 * n));
    even.add("last");
    assertThat(QueueScene.drain(factory(), "even")).containsExactlyElementsOf(even);
    assertThat(QueueScene.drain(factory(), "odd")).hasSize(50).startsWith("m1", "m3");
  }

  /** Returns an event without its tag: messages that return may arrive in another order. */
  private static String untagged(String event) {
    return event.replaceFirst("#\\d+", "");
  }

  @ParameterizedTest
  @CsvSource({"artemis, guarded", "artemis, closed.new", "classic, guarded", "plugged, guarded"})
  void shouldPublishNothingIfTheBrokerRefusesAPart(String client, String destination)
      throws Exception {
    start(client);

    String refusal =
        result(scene.publish(text("fills", "a"), text(destination, "b"), text("fills", "c")));

    assertThat(refusal).startsWith("transaction-failed: ");
    assertThat(scene.browse("fills", null, 10)).isIn(List.of("0"), List.of("unknown-queue"));
    assertThat(result(scene.publish(text("fills", "d")))).isEqualTo(COMMITTED);
    assertThat(scene.browse("fills", null, 10)).containsExactly("d", "1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldPublishNothingToReservedNames(String client) throws Exception {
    start(client);

    assertThat(result(scene.publish(text("fills", "a"), text("ActiveMQ.Advisory.x?y", "b"))))
        .isEqualTo("forbidden: publish 2: name is reserved or invalid for this broker");
    assertThat(scene.browse("fills", null, 10)).isIn(List.of("0"), List.of("unknown-queue"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldAcknowledgeAndPublishTogether(String client) throws Exception {
    start(client);
    QueueScene.send(factory(), "orders", "a", "b");
    Client consumer = scene.consume("orders", 1);
    assertThat(consumer.next()).isEqualTo("a#1");

    assertThat(result(consumer.transact(1, text("fills", "a1"), text("fills", "a2"))))
        .isEqualTo(COMMITTED);

    assertThat(consumer.next()).isEqualTo("b#2");
    assertThat(result(consumer.transact(1, text("fills", "x"))))
        .isEqualTo("not-pending: ack 1: the message is not pending at this consumer");
    assertThat(result(consumer.transact(2))).isEqualTo(COMMITTED);
    assertThat(scene.browse("orders", null, 10)).containsExactly("0");
    assertThat(scene.browse("fills", null, 10)).containsExactly("a1", "a2", "2");
    assertThat(scene.meters().pending()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldAcknowledgeSeveralMessagesAndLeaveOthersPending(String client) throws Exception {
    start(client);
    QueueScene.send(factory(), "orders", "a", "b", "c", "d", "e");
    Client consumer = scene.consume("orders", 5);
    for (String event : List.of("a#1", "b#2", "c#3", "d#4", "e#5")) {
      assertThat(consumer.next()).isEqualTo(event);
    }

    List<Acknowledgement> acks =
        List.of(new Acknowledgement(2, true), new Acknowledgement(4, false));
    assertThat(result(consumer.transact(acks, text("fills", "x")))).isEqualTo(COMMITTED);

    assertThat(scene.meters().pending()).isEqualTo(2);
    consumer.consumer().close();
    Client other = scene.consume("orders", 5);
    assertThat(List.of(untagged(other.next()), untagged(other.next())))
        .containsExactlyInAnyOrder("c again", "e again");
    assertThat(scene.browse("fills", null, 10)).containsExactly("x", "1");
  }

  @ParameterizedTest
  @CsvSource({"artemis, guarded", "artemis, closed.new", "classic, guarded"})
  void shouldReturnAllMessagesIfTheBrokerRefusesAPart(String client, String destination)
      throws Exception {
    start(client);
    QueueScene.send(factory(), "orders", "a", "b");
    Client consumer = scene.consume("orders", 2);
    assertThat(List.of(consumer.next(), consumer.next())).containsExactly("a#1", "b#2");

    assertThat(result(consumer.transact(1, text("fills", "x"), text(destination, "y"))))
        .startsWith("transaction-failed: ");

    assertThat(consumer.next()).isEqualTo("released 0 broker-lost");
    assertThat(List.of(untagged(consumer.next()), untagged(consumer.next())))
        .containsExactlyInAnyOrder("a again", "b again");
    assertThat(scene.browse("fills", null, 10)).isIn(List.of("0"), List.of("unknown-queue"));
  }

  @Test
  void shouldReturnTheMessageIfTheBrokerOfAnotherProviderRefusesAPart() throws Exception {
    start("plugged");
    QueueScene.send(factory(), "orders", "a");
    Client consumer = scene.consume("orders", 1);
    assertThat(consumer.next()).isEqualTo("a#1");

    assertThat(result(consumer.transact(1, text("fills", "x"), text("guarded", "y"))))
        .startsWith("transaction-failed: "); // such a client may lose its connection by it

    assertThat(consumer.next()).isEqualTo("released 0 broker-lost");
    assertThat(consumer.next()).isEqualTo("a#2 again");
    assertThat(scene.browse("fills", null, 10)).containsExactly("0");
  }

  @Test
  void shouldNameTheMissingDestination() throws Exception {
    start("artemis");

    assertThat(result(scene.publish(text("fills", "a"), text("closed.new", "b"))))
        .isEqualTo("transaction-failed: publish 2: the broker has no such destination");
  }

  @Test
  void shouldBlockNoOtherConsumerWhileTheBrokerBlocksATransaction() throws Exception {
    ArtemisProcess artemis = ArtemisProcess.start();
    server = artemis;
    artemis.configure("full", QueueScene.BLOCK);
    QueueScene.send(factory(), "full", "x".repeat(20_000));
    QueueScene.send(factory(), "orders", "a");
    QueueScene.send(factory(), "others", "b", "c");
    scene =
        new QueueScene(
            PublishScene.config("artemis", server.url())
                .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofSeconds(2)));
    Client blocked = scene.consume("orders", 1);
    Client other = scene.consume("others", 1);
    assertThat(blocked.next()).isEqualTo("a#1");
    assertThat(other.next()).isEqualTo("b#1");

    String refusal = result(blocked.transact(1, text("full", "a1")));

    assertThat(other.settle(ACK, 1)).isEqualTo("settled");
    assertThat(other.next()).isEqualTo("c#2");
    assertThat(refusal)
        .isEqualTo(
            "transaction-failed: the broker did not store the transaction: the broker did not"
                + " respond in time: queue full, or the broker's memory or disk, may be full");
    assertThat(blocked.next()).isEqualTo("released 0 broker-lost");
    assertThat(QueueScene.drain(factory(), "full")).hasSize(1);
    assertThat(blocked.next()).isEqualTo("a#2 again");
    assertThat(result(blocked.transact(2, text("full", "a1")))).isEqualTo(COMMITTED);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldRunThousandTransactionsOfSeveralClients(String client) throws Exception {
    start(client);
    int messages = 1_000;
    List<String> orders = IntStream.range(0, messages).mapToObj(n -> "m" + n).toList();
    QueueScene.sendAll(factory(), "orders", orders);
    List<Client> clients =
        IntStream.range(0, 4).mapToObj(any -> scene.consume("orders", 5)).toList();
    Map<String, CompletableFuture<String>> results = new HashMap<>();

    while (results.size() < messages) {
      for (Client each : clients) {
        String event = each.next(1);
        if (event != null) {
          String text = event.substring(0, event.indexOf('#'));
          long tag = Long.parseLong(event.substring(event.indexOf('#') + 1));
          results.put(text, each.transact(tag, text("fills", text), text("audit", text)));
        }
      }
    }

    for (CompletableFuture<String> each : results.values()) {
      assertThat(result(each)).isEqualTo(COMMITTED);
    }
    assertThat(scene.browse("orders", null, 1)).containsExactly("0");
    assertThat(QueueScene.drain(factory(), "fills")).containsExactlyInAnyOrderElementsOf(orders);
    assertThat(QueueScene.drain(factory(), "audit")).containsExactlyInAnyOrderElementsOf(orders);
  }
}
