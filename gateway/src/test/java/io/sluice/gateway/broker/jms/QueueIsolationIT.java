package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.QueueScene.SETTLED;
import static io.sluice.gateway.protocol.Settlement.ACK;
import static io.sluice.gateway.protocol.Settlement.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.gateway.EachBroker;
import io.sluice.gateway.broker.jms.QueueScene.Client;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A consumer of a queue that blocks at a real broker delays no other consumer. */
@Timeout(240)
@Isolated("observes the whole process")
final class QueueIsolationIT {
  private static final int CLOSING = 300;
  private static final int MESSAGES = 20;

  /** More than the threads for calls that send. */
  private static final int MANY = 20;

  /** Options of Classic's client, which limits the attempts otherwise. */
  private static final String UNLIMITED = "?jms.redeliveryPolicy.maximumRedeliveries=-1";

  /** Warning of Artemis' client: a thread waits in vain for the end of a listener. */
  private static final String LISTENER_TIMEOUT = "AMQ212002";

  private final Logger log = (Logger) LoggerFactory.getLogger("org.apache.activemq.artemis");
  private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();
  private ArtemisProcess server;
  private ClassicBroker classic;
  private QueueScene scene;

  @AfterEach
  void close() {
    log.detachAppender(warnings);
    if (scene != null) {
      scene.close();
    }
    if (server != null) {
      server.close();
    }
    if (classic != null) {
      classic.close();
    }
  }

  private void open(Duration callTimeout) {
    server = ArtemisProcess.start();
    Config config = PublishScene.config("artemis", server.url());
    scene = new QueueScene(config.with(BrokerSettings.OPEN_TIMEOUT, callTimeout));
  }

  private ConnectionFactory factory() {
    return new ActiveMQConnectionFactory(server.url());
  }

  private void recordWarnings() {
    warnings.list = new CopyOnWriteArrayList<>();
    warnings.start();
    log.setLevel(Level.WARN);
    log.addAppender(warnings);
  }

  private List<String> listenerTimeouts() {
    return warnings.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(text -> text.contains(LISTENER_TIMEOUT))
        .toList();
  }

  @Tag("full")
  @Test
  void shouldDeliverToOneConsumerWhileManyOthersClose() throws Exception {
    open(Duration.ofSeconds(30));
    recordWarnings();
    List<Client> crowd =
        IntStream.range(0, CLOSING).mapToObj(any -> scene.consume("crowd", 1)).toList();
    Client honest = scene.consume("orders", 1);
    QueueScene.sendAll(
        factory(), "orders", IntStream.range(0, MESSAGES).mapToObj(n -> "m" + n).toList());

    crowd.forEach(each -> each.consumer().close());

    for (int i = 0; i < MESSAGES; i++) {
      assertThat(honest.next()).isEqualTo("m" + i + "#" + (i + 1));
      assertThat(honest.settle(ACK, i + 1)).isEqualTo(SETTLED);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> scene.meters().consumers() == 1);
    assertThat(listenerTimeouts()).as("closings that waited for their own pool").isEmpty();
  }

  @Tag("full")
  @Test
  void shouldInterruptOnlyTheSessionWhoseDeadLetterTheBrokerBlocks() throws Exception {
    open(Duration.ofSeconds(2));
    server.configure("DLQ", QueueScene.BLOCK);
    QueueScene.send(factory(), "DLQ", "x".repeat(20_000));
    QueueScene.send(factory(), "orders", "bad");
    QueueScene.send(factory(), "others", "b", "c");
    Client blocked = scene.consume("orders", 1);
    Client other = scene.consume("others", 1);
    assertThat(blocked.next()).isEqualTo("bad#1");
    assertThat(other.next()).isEqualTo("b#1");

    CompletableFuture<String> rejected = blocked.settleLater(REJECT, 1, false);

    assertThat(rejected.join()).isEqualTo("settle-failed");
    assertThat(blocked.next()).isEqualTo("released 0 broker-lost");
    assertThat(other.settle(ACK, 1)).isEqualTo(SETTLED);
    assertThat(other.next()).as("of the same session").isEqualTo("c#2");
    assertThat(blocked.next()).isEqualTo("bad#2 again");
    assertThat(QueueScene.drain(factory(), "DLQ")).hasSize(1);
    assertThat(blocked.settle(REJECT, 2)).isEqualTo(SETTLED);
    assertThat(QueueScene.drain(factory(), "DLQ")).containsExactly("bad");
  }

  /** More transactions to a full destination than the connection has threads. */
  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldCommitTransactionsToOtherDestinationsWhileOneBlocks(String provider) throws Exception {
    ConnectionFactory factory = openFull(provider);
    List<CompletableFuture<String>> blocked = new ArrayList<>();
    List<String> texts = IntStream.range(0, MANY).mapToObj(n -> "m" + n).toList();
    QueueScene.sendAll(factory, "orders", texts);
    for (int i = 0; i < MANY; i++) {
      Client client = scene.consume("orders", 1);
      assertThat(client.next()).endsWith("#1");
      blocked.add(client.transact(1, QueueScene.text("full", "x")));
      blocked.add(scene.publish(QueueScene.text("full", "x")));
    }
    QueueScene.send(factory, "others", "b");
    Client other = scene.consume("others", 1);
    assertThat(other.next()).isEqualTo("b#1");

    CompletableFuture<String> healthy = other.transact(1, QueueScene.text("fills", "x"));
    CompletableFuture<String> another = scene.publish(QueueScene.text("fills", "y"));

    assertThat(healthy.get(QueueScene.LONG_S, TimeUnit.SECONDS)).isEqualTo(QueueScene.COMMITTED);
    assertThat(another.get(QueueScene.LONG_S, TimeUnit.SECONDS)).isEqualTo(QueueScene.COMMITTED);
    for (CompletableFuture<String> each : blocked) {
      assertThat(each.get(QueueScene.LONG_S, TimeUnit.SECONDS)).contains("queue full");
    }
  }

  /** Calls have a long time limit. */
  private ConnectionFactory openFull(String provider) throws Exception {
    ConnectionFactory factory;
    String url;
    if (provider.equals("artemis")) {
      server = ArtemisProcess.start();
      server.configure("full", QueueScene.BLOCK);
      factory = factory();
      url = server.url();
    } else {
      classic = ClassicBroker.startLimited(10_000);
      factory = classicFactory();
      url = classic.url();
    }
    QueueScene.send(factory, "full", "x".repeat(20_000));
    scene =
        new QueueScene(
            PublishScene.config(provider, url)
                .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofMinutes(2)));
    return factory;
  }

  /** The broker moves it to its own dead-letter queue after the maximum number of deliveries. */
  @Tag("full")
  @Test
  void shouldLimitTheAttemptsOfAMessageThatTheNodeCannotReject() throws Exception {
    server = ArtemisProcess.start("--attempts", "3");
    server.configure("full", QueueScene.BLOCK);
    QueueScene.send(factory(), "full", "x".repeat(20_000));
    scene =
        new QueueScene(
            PublishScene.config("artemis", server.url())
                .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofSeconds(1))
                .with(LimitSettings.BROKER_MESSAGE_BYTES, 1_000L)
                .with(TopicSettings.QUEUES_DEAD_LETTER, "full"));
    QueueScene.send(factory(), "orders", "y".repeat(2_000));

    Client consumer = scene.consume("orders", 1);

    List<String> dead = new ArrayList<>();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> dead.addAll(QueueScene.drain(factory(), "DLQ")));
    assertThat(dead).containsExactly("y".repeat(2_000));
    QueueScene.send(factory(), "orders", "b");
    assertThat(consumer.next()).isEqualTo("b#1");
  }

  /** Opens a scene at a Classic broker that refuses messages to the dead-letter queue. */
  private void openWithoutDeadLetters(String client, Path data, long maxBytes) throws Exception {
    classic = ClassicBroker.start(data);
    classic.refuse(ClassicBroker.Refusal.MESSAGES, "full");
    scene =
        new QueueScene(
            PublishScene.config(client, classic.url() + UNLIMITED)
                .with(LimitSettings.BROKER_MESSAGE_BYTES, maxBytes)
                .with(TopicSettings.QUEUES_DEAD_LETTER, "full"));
  }

  /** Classic's broker counts attempts and limits none; its client does, if it is configured. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"classic", "plugged"})
  void shouldEndAConsumerWhoseMessageCanNeverBeRejected(String client, @TempDir Path data)
      throws Exception {
    openWithoutDeadLetters(client, data, 1_000);
    QueueScene.send(classicFactory(), "orders", "y".repeat(2_000));
    QueueScene.send(classicFactory(), "others", "b");
    Client other = scene.consume("others", 1);

    Client consumer = scene.consume("orders", 1);

    assertThat(consumer.next())
        .startsWith("refused settle-failed: message ID:")
        .contains(" could not be moved to the dead-letter queue in 10 attempts: ");
    assertThat(classic.refusals()).isEqualTo(10);
    assertThat(other.next()).as("the connection is not lost").startsWith("b#1");
    assertThat(scene.metric("sluice_queue_stuck_total")).isEqualTo(1);
    assertThat(QueueScene.drain(classicFactory(), "orders")).containsExactly("y".repeat(2_000));
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"classic", "plugged"})
  void shouldEndAConsumerWhoseClientRejectsInVain(String client, @TempDir Path data)
      throws Exception {
    openWithoutDeadLetters(client, data, 1_000_000);
    QueueScene.send(classicFactory(), "orders", "bad");
    Client consumer = scene.consume("orders", 1);

    for (int attempt = 1; attempt <= 10; attempt++) {
      assertThat(consumer.next()).startsWith("bad#" + attempt);
      assertThat(consumer.settle(REJECT, attempt)).isIn("settle-failed", "broker-unavailable");
      assertThat(consumer.next()).isEqualTo("released 0 broker-lost");
    }

    assertThat(consumer.next()).startsWith("refused settle-failed: message ID:");
    assertThat(QueueScene.drain(classicFactory(), "orders")).containsExactly("bad");
  }

  private void openClassic(Path data) {
    classic = ClassicBroker.start(data);
    scene =
        new QueueScene(
            PublishScene.config("classic", classic.url())
                .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofSeconds(2)));
  }

  private ConnectionFactory classicFactory() {
    return new org.apache.activemq.ActiveMQConnectionFactory(classic.url());
  }

  private enum Blocked {
    REJECTION,
    TRANSACTION,
    PUBLISHES;

    CompletableFuture<String> start(QueueScene scene, Client consumer, long tag) {
      return switch (this) {
        case REJECTION -> consumer.settleLater(REJECT, tag, false);
        case TRANSACTION -> consumer.transact(tag, QueueScene.text("fills", "x"));
        case PUBLISHES -> scene.publish(QueueScene.text("fills", "x"));
      };
    }
  }

  /** Classic's broker handles the commands of a connection in order, also those that it blocks. */
  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void shouldAcknowledgeWhileTheStoreOfClassicBlocks(Blocked kind, @TempDir Path data)
      throws Exception {
    openClassic(data);
    QueueScene.send(classicFactory(), "orders", "a");
    QueueScene.send(classicFactory(), "others", "b", "c");
    Client blocked = scene.consume("orders", 1);
    Client other = scene.consume("others", 1);
    assertThat(blocked.next()).isEqualTo("a#1");
    assertThat(other.next()).isEqualTo("b#1");
    classic.fillStore(true);

    CompletableFuture<String> result = kind.start(scene, blocked, 1);

    assertThat(other.settle(ACK, 1)).isEqualTo(SETTLED);
    assertThat(other.next()).isEqualTo("c#2");
    assertThat(result.join()).matches("(settle|transaction)-failed.*");
    assertThat(other.settle(ACK, 2)).as("of the same session").isEqualTo(SETTLED);
    classic.fillStore(false);
    if (kind != Blocked.PUBLISHES) {
      assertThat(blocked.next()).isEqualTo("released 0 broker-lost");
      assertThat(blocked.next()).isEqualTo("a#2 again");
      assertThat(kind.start(scene, blocked, 2).join()).isIn(SETTLED, QueueScene.COMMITTED);
      assertThat(QueueScene.drain(classicFactory(), "orders")).isEmpty();
    }
    List<String> sent =
        QueueScene.drain(classicFactory(), kind == Blocked.REJECTION ? "ActiveMQ.DLQ" : "fills");
    assertThat(sent).hasSize(kind == Blocked.PUBLISHES ? 0 : 1);
  }

  @Test
  void shouldOpenAConsumerAgainThatClassicCloses(@TempDir Path data) throws Exception {
    openClassic(data);
    QueueScene.send(classicFactory(), "orders", "a", "b");
    Client consumer = scene.consume("orders", 1);
    assertThat(consumer.next()).isEqualTo("a#1");

    classic.closeConsumers("orders");

    assertThat(consumer.next()).isEqualTo("released 0 broker-lost");
    assertThat(consumer.next()).startsWith("a#2");
    assertThat(consumer.settle(ACK, 2)).isEqualTo(SETTLED);
    assertThat(consumer.next()).isEqualTo("b#3");
  }
}
