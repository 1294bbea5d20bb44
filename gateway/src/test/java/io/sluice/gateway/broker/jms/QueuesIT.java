package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.SETTLED;
import static io.sluice.gateway.protocol.Settlement.ACK;
import static io.sluice.gateway.protocol.Settlement.REJECT;
import static io.sluice.gateway.protocol.Settlement.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers of queues at real brokers; plugged is any other JMS provider. */
@Timeout(180)
final class QueuesIT {
  /** Time in which a message would arrive that must not. */
  private static final long QUIET_MS = 200;

  private static final int RETURNS = 100;
  private static final int CONSUMERS = 60;

  @TempDir private Path data;
  private TestBroker server;
  private QueueScene scene;

  @AfterEach
  void close() {
    if (scene != null) {
      scene.close();
    }
    server.close();
  }

  private QueueScene start(String client) {
    server =
        client.equals("plugged") || client.endsWith("classic")
            ? ClassicBroker.start()
            : ArtemisProcess.start("--attempts", "3", "--closed", "closed");
    return open(config(client));
  }

  private Config config(String client) {
    return PublishScene.config(client, server.url());
  }

  private QueueScene open(Config config) {
    scene = new QueueScene(config);
    return scene;
  }

  private ConnectionFactory factory() {
    return server.provider().equals("classic")
        ? new org.apache.activemq.ActiveMQConnectionFactory(server.url())
        : new org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory(server.url());
  }

  private void send(String queue, String... texts) throws Exception {
    QueueScene.send(factory(), queue, texts);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"artemis", "classic", "plugged", "plugged-artemis", "wrapped", "wrapped-classic"})
  void shouldDeliverAMessageAndRemoveItWithTheAcknowledgement(String client) throws Exception {
    start(client);
    send("orders", "a", "b");

    Client first = scene.consume("orders", 1);

    assertThat(first.next()).isEqualTo("a#1");
    assertThat(first.next(QUIET_MS)).isNull();
    assertThat(first.settle(ACK, 1)).isEqualTo(SETTLED);
    assertThat(first.next()).isEqualTo("b#2");
    assertThat(first.settle(ACK, 1)).isEqualTo("not-pending");
    assertThat(first.settle(ACK, 3)).isEqualTo("not-pending");
    assertThat(first.settle(ACK, 2)).isEqualTo(SETTLED);
    assertThat(scene.browse("orders", null, 10)).containsExactly("0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldDeliverToAnotherConsumerWhatAConsumerWithoutCreditDoesNotTake(String client)
      throws Exception {
    start(client);
    Client paused = scene.consume("orders", 1);
    Client slow = scene.consume("orders", 1);
    paused.consumer().credit(0);
    assertThat(paused.settle(ACK, 1)).isEqualTo("not-pending"); // the credit has changed
    assertThat(scene.browse("orders", null, 1)).containsExactly("0"); // the pull is cancelled
    send("orders", "a", "b", "c");

    assertThat(slow.next()).isEqualTo("a#1");
    Client fast = scene.consume("orders", 2);

    assertThat(List.of(fast.next(), fast.next())).containsExactly("b#1", "c#2");
    assertThat(paused.next(QUIET_MS)).isNull();
  }

  /** The paused consumer returns what its client has prefetched. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plugged", "plugged-artemis", "wrapped", "wrapped-classic"})
  void shouldKeepNoMessagesAtAPausedConsumerOfAnyProvider(String client) throws Exception {
    start(client);
    send("orders", "a", "b", "c", "d");
    Client paused = scene.consume("orders", 1);
    Client idle = scene.consume("orders", 0);
    assertThat(paused.next()).isEqualTo("a#1");
    paused.consumer().credit(0);
    assertThat(paused.settle(ACK, 1)).isEqualTo(SETTLED);

    Client other = scene.consume("orders", 1);

    assertThat(take(other, 3)).containsExactlyInAnyOrder("b", "c", "d");
    assertThat(paused.next(QUIET_MS)).isNull();
    assertThat(idle.next(QUIET_MS)).isNull();
    other.consumer().credit(0);
    paused.consumer().credit(1);
    send("orders", "e");
    assertThat(take(paused, 1)).containsExactly("e");
  }

  /** Only of clients whose prefetch the node can switch off; Artemis' client keeps one message. */
  @ParameterizedTest
  @CsvSource({"plugged, 0", "plugged-artemis, 1"})
  void shouldKeepNoMessagesBehindAPendingOne(String client, int kept) throws Exception {
    start(client);
    send("orders", "a", "b", "c", "d");
    Client slow = scene.consume("orders", 1);
    assertThat(slow.next()).isEqualTo("a#1");

    Client other = scene.consume("orders", 1);

    assertThat(take(other, 3 - kept)).isSubsetOf("b", "c", "d");
    assertThat(slow.settle(ACK, 1)).isEqualTo(SETTLED);
  }

  /** More consumers than threads, most of which wait for a message. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plugged", "plugged-artemis", "wrapped"})
  void shouldServeMoreConsumersThanThreads(String client) throws Exception {
    start(client);
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < CONSUMERS; i++) {
      clients.add(scene.consume("q" + i, 1));
    }
    for (int i = 0; i < CONSUMERS; i++) {
      send("q" + i, "a", "b");
    }

    for (Client each : clients) {
      assertThat(each.next()).isEqualTo("a#1");
    }
    for (Client each : clients) { // all of them are pending
      assertThat(each.settle(ACK, 1)).isEqualTo(SETTLED);
      assertThat(each.next()).isEqualTo("b#2");
    }
  }

  /** Receives and acknowledges messages, and returns their texts. */
  private static List<String> take(Client client, int count) throws Exception {
    List<String> texts = new ArrayList<>();
    while (texts.size() < count) {
      String event = client.next();
      assertThat(event).as("after %s", texts).isNotNull();
      texts.add(event.substring(0, event.indexOf('#')));
      long tag = Long.parseLong(event.replaceAll(".*#(\\d+).*", "$1"));
      assertThat(client.settle(ACK, tag)).isEqualTo(SETTLED);
    }
    return texts;
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(
      strings = {"artemis", "classic", "plugged", "plugged-artemis", "wrapped", "wrapped-classic"})
  void shouldShareAQueueAmongCompetingConsumers(String client) throws Exception {
    start(client);
    int messages = 200;
    List<Client> clients =
        IntStream.range(0, 4).mapToObj(any -> scene.consume("orders", 5)).toList();
    QueueScene.sendAll(
        factory(), "orders", IntStream.range(0, messages).mapToObj(n -> "m" + n).toList());

    Set<String> received = new TreeSet<>();
    while (received.size() < messages) {
      for (Client each : clients) {
        for (String event = each.next(1); event != null; event = each.next(1)) {
          assertThat(event).doesNotContain(" again");
          assertThat(received.add(event.substring(0, event.indexOf('#')))).isTrue();
          long tag = Long.parseLong(event.substring(event.indexOf('#') + 1));
          assertThat(each.settle(ACK, tag)).isEqualTo(SETTLED);
        }
      }
    }

    assertThat(scene.browse("orders", null, 10)).containsExactly("0");
    assertThat(scene.meters().pending()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldSettleAllMessagesUpToOne(String client) throws Exception {
    start(client);
    send("orders", "a", "b", "c", "d");
    Client consumer = scene.consume("orders", 4);
    assertThat(receive(consumer, 4)).containsExactly("a#1", "b#2", "c#3", "d#4");

    assertThat(consumer.settle(ACK, 3, true)).isEqualTo(SETTLED);

    assertThat(consumer.settle(ACK, 3, true)).isEqualTo("not-pending");
    assertThat(consumer.settle(ACK, 4)).isEqualTo(SETTLED);
    assertThat(scene.browse("orders", null, 10)).containsExactly("0");
  }

  private static List<String> receive(Client consumer, int count) {
    List<String> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(consumer.next());
    }
    return events;
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldDeliverAReleasedMessageAgainWhenNoOtherIsPending(String client) throws Exception {
    start(client);
    send("orders", "a", "b", "c");
    Client consumer = scene.consume("orders", 2);
    assertThat(receive(consumer, 2)).containsExactly("a#1", "b#2");

    assertThat(consumer.settle(RELEASE, 1)).isEqualTo(SETTLED);
    assertThat(consumer.settle(RELEASE, 1)).isEqualTo("not-pending");
    assertThat(consumer.next(QUIET_MS)).isNull();
    assertThat(consumer.settle(ACK, 2)).isEqualTo(SETTLED);

    assertThat(receive(consumer, 2)).containsExactlyInAnyOrder("a#3 again", "c#4");
  }

  /** Each return meets a request of the consumer at the broker, which has credit left. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReceiveAllReturnedMessagesAgainIfARequestIsPending(String client) throws Exception {
    start(client);
    Client consumer = scene.consume("orders", 10);
    for (int round = 0; round < RETURNS; round++) {
      send("orders", "a", "b", "c");
      int first = 6 * round + 1;
      assertThat(receive(consumer, 3))
          .as("round %d", round)
          .containsExactly("a#" + first, "b#" + (first + 1), "c#" + (first + 2));

      assertThat(consumer.settle(RELEASE, first + 2, true)).isEqualTo(SETTLED);

      assertThat(receive(consumer, 3))
          .as("round %d, again", round)
          .containsExactly(
              "a#" + (first + 3) + " again",
              "b#" + (first + 4) + " again",
              "c#" + (first + 5) + " again");
      assertThat(consumer.settle(ACK, first + 5, true)).isEqualTo(SETTLED);
    }
  }

  @ParameterizedTest
  @CsvSource({"artemis, DLQ, 3", "classic, ActiveMQ.DLQ, 7", "plugged, ActiveMQ.DLQ, 7"})
  void shouldDeadLetterAMessageThatIsAlwaysReleased(String client, String dead, int attempts)
      throws Exception {
    start(client);
    send("orders", "poison", "b");
    Client consumer = scene.consume("orders", 1);

    for (int i = 1; i <= attempts; i++) {
      assertThat(consumer.next()).isEqualTo("poison#" + i + (i == 1 ? "" : " again"));
      assertThat(consumer.settle(RELEASE, i)).isEqualTo(SETTLED);
    }

    assertThat(consumer.next()).startsWith("b#"); // perhaps before the other is moved
    await()
        .untilAsserted(
            () -> assertThat(scene.browse(dead, null, 10)).containsExactly("poison", "1"));
  }

  @ParameterizedTest
  @CsvSource({
    "artemis, DLQ, _AMQ_ORIG_QUEUE",
    "classic, ActiveMQ.DLQ, originalQueue",
    "plugged, ActiveMQ.DLQ, originalQueue"
  })
  void shouldMoveARejectedMessageToTheDeadLetterQueue(String client, String dead, String property)
      throws Exception {
    start(client);
    send("orders", "bad", "b");
    Client consumer = scene.consume("orders", 1);
    assertThat(consumer.next()).isEqualTo("bad#1");

    assertThat(consumer.settle(REJECT, 1)).isEqualTo(SETTLED);

    assertThat(consumer.next()).isEqualTo("b#2");
    try (Connection connection = factory().createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      connection.start();
      Message letter = session.createConsumer(session.createQueue(dead)).receive(10_000);
      assertThat(letter.getStringProperty("kind")).isEqualTo("b");
      if (!client.equals("plugged")) {
        assertThat(letter.getStringProperty(property)).isEqualTo("orders");
      }
    }
  }

  /** The broker's detection of duplicates applies to the dead-letter queue, too. */
  @Tag("full")
  @Test
  void shouldRejectMessagesWithEqualPublishIds() throws Exception {
    start("artemis");
    sendWithPublishId("orders", "others");

    for (String queue : List.of("orders", "others")) {
      Client consumer = scene.consume(queue, 1);
      assertThat(consumer.next()).isEqualTo(queue + "#1");
      assertThat(consumer.settle(REJECT, 1)).isEqualTo(SETTLED);
    }

    assertThat(QueueScene.drain(factory(), "DLQ")).containsExactly("orders", "others");
  }

  private void sendWithPublishId(String... queues) throws Exception {
    try (Connection connection = factory().createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      for (String queue : queues) {
        Message message = session.createTextMessage(queue);
        message.setStringProperty("_AMQ_DUPL_ID", "7");
        session.createProducer(session.createQueue(queue)).send(message);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReturnPendingMessagesWhenTheConsumerIsClosed(String client) throws Exception {
    start(client);
    send("orders", "a", "b");
    Client first = scene.consume("orders", 2);
    assertThat(receive(first, 2)).containsExactly("a#1", "b#2");
    assertThat(first.settle(ACK, 1)).isEqualTo(SETTLED);

    first.consumer().close();
    assertThat(first.settle(ACK, 2)).isEqualTo("not-pending");
    send("orders", "c");
    Client second = scene.consume("orders", 2);

    // The broker may have sent the last one to the consumer that was closing.
    assertThat(receive(second, 2))
        .map(each -> each.equals("c#2 again") ? "c#2" : each)
        .containsExactlyInAnyOrder("b#1 again", "c#2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldDeliverSelectedMessagesOnly(String client) throws Exception {
    start(client);
    send("orders", "xa", "yb", "xc");

    Client consumer = scene.open("orders", "kind = 'y'", 5);

    assertThat(receive(consumer, 2)).containsExactly("consuming", "yb#1");
    assertThat(scene.browse("orders", "kind = 'x'", 1)).containsExactly("xa", "1 and more");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic", "plugged"})
  void shouldRefuseAnInvalidSelector(String client) throws Exception {
    start(client);

    assertThat(scene.open("orders", "kind = = 'y'", 5).next())
        .startsWith("refused invalid-selector: the broker refuses the selector: ");
    assertThat(scene.browse("orders", "kind = =", 1)).containsExactly("invalid-selector");
  }

  @ParameterizedTest
  @CsvSource({
    "classic, kind - 1 = 1",
    "classic, kind/0 = 1",
    "classic, -kind % 0 = 1",
    "classic, 1.5 < kind",
    "plugged, kind - 1 = 1",
    "wrapped-classic, kind - 1 = 1",
  })
  void shouldRefuseSelectorsThatWouldStopOtherConsumersAtClassic(String client, String where)
      throws Exception {
    start(client);
    Client other = scene.consume("orders", 5);

    assertThat(scene.open("orders", where, 5).next())
        .startsWith("refused invalid-selector: the broker refuses the selector: this broker ");
    assertThat(scene.browse("orders", where, 1)).containsExactly("invalid-selector");

    send("orders", "a");
    assertThat(other.next()).isEqualTo("a#1");
  }

  @ParameterizedTest
  @CsvSource({
    "artemis, kind - 1 = 1",
    "artemis, kind/0 = 1",
    "artemis, -kind % 0 = 1",
    "artemis, 1.5 < kind",
    "plugged-artemis, kind - 1 = 1",
    "wrapped, kind - 1 = 1",
  })
  void shouldServeOthersDuringSelectorsThatFailAtArtemis(String client, String where)
      throws Exception {
    start(client);
    assertThat(scene.open("orders", where, 5).next()).isEqualTo("consuming");
    Client other = scene.consume("orders", 5);

    send("orders", "a");
    assertThat(other.next()).isEqualTo("a#1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseAMissingQueueThatTheBrokerDoesNotCreate(String client) throws Exception {
    start(client);
    if (server instanceof ClassicBroker classic) {
      classic.createNoQueues();
    }

    assertThat(scene.open("closed.orders", null, 5).next())
        .isEqualTo("refused unknown-queue: the broker has no such queue");
    assertThat(scene.browse("closed.orders", null, 1)).containsExactly("unknown-queue");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseReservedNames(String client) {
    start(client);

    assertThat(scene.open("a?consumer.priority=9", null, 5).next()).startsWith("refused forbidden");
    String internal = client.equals("classic") ? "ActiveMQ.Advisory.Queue" : "activemq.management";
    assertThat(scene.open(internal, null, 5).next()).startsWith("refused forbidden");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldReleaseAMessageThatIsNotSettledInTime(String client) throws Exception {
    server = client.equals("artemis") ? ArtemisProcess.start() : ClassicBroker.start();
    open(config(client).with(TopicSettings.QUEUES_ACK_TIMEOUT, Duration.ofSeconds(1)));
    send("orders", "a");
    Client consumer = scene.consume("orders", 1);
    assertThat(consumer.next()).isEqualTo("a#1");

    assertThat(consumer.next()).isEqualTo("released 1 timeout");

    assertThat(consumer.next()).isEqualTo("a#2 again");
    assertThat(consumer.settle(ACK, 1)).isEqualTo("not-pending");
    assertThat(consumer.settle(ACK, 2)).isEqualTo(SETTLED);
  }

  @ParameterizedTest
  @CsvSource({"artemis, DLQ", "classic, ActiveMQ.DLQ"})
  void shouldDeadLetterWhatCannotBeDelivered(String client, String dead) throws Exception {
    server =
        client.equals("artemis") ? ArtemisProcess.start("--attempts", "3") : ClassicBroker.start();
    open(config(client).with(LimitSettings.BROKER_MESSAGE_BYTES, 200_000L));
    send("orders", "x".repeat(200_001), "y".repeat(200_000), "b");
    Client consumer = scene.consume("orders", 1);

    assertThat(consumer.next()).hasSize(200_002);
    assertThat(consumer.settle(ACK, 1)).isEqualTo(SETTLED);
    assertThat(consumer.next()).isEqualTo("b#2");
    try (Connection connection = factory().createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      connection.start();
      Message letter = session.createConsumer(session.createQueue(dead)).receive(10_000);
      assertThat(letter.getBody(String.class)).hasSize(200_001);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRedeliverUnsettledMessagesAfterTheLossOfTheBroker(String client) throws Exception {
    server =
        client.equals("artemis")
            ? ArtemisProcess.start("--data", data.toString())
            : ClassicBroker.start(data);
    open(config(client));
    send("orders", "a", "b", "c");
    Client consumer = scene.consume("orders", 2);
    assertThat(receive(consumer, 2)).containsExactly("a#1", "b#2");
    assertThat(consumer.settle(ACK, 1)).isEqualTo(SETTLED);
    assertThat(consumer.next()).isEqualTo("c#3");

    server.kill();
    assertThat(consumer.next()).isEqualTo("released 0 broker-lost");
    assertThat(consumer.settle(ACK, 2)).isEqualTo("not-pending");
    server.restart();

    assertThat(receive(consumer, 2)).containsExactlyInAnyOrder("b#4", "c#5");
    assertThat(List.of("b#4", "c#5")).allMatch(consumer::isMarked);
    assertThat(consumer.settle(ACK, 5, true)).isEqualTo(SETTLED);
    assertThat(scene.browse("orders", null, 10)).containsExactly("0");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseAConsumerWhileTheBrokerIsDown(String client) {
    start(client);
    server.kill();

    assertThat(scene.open("orders", null, 1).next())
        .isEqualTo("refused broker-unavailable: the broker is not connected");

    server.restart();
  }
}
