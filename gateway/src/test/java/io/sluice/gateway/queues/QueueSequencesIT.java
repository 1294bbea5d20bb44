package io.sluice.gateway.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random sequences of credit, settlements, closings and reconnects of ten consumers of one queue at
 * a real broker. No message is lost, kept for a client that has gone or paused, or delivered again
 * without a mark; afterwards each consumer has exactly the credit that its client computes.
 *
 * <p>{@code -Dsluice.sequences=200} runs more seeds, from {@code -Dsluice.sequences.first}.
 */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class QueueSequencesIT {
  private static final int SEEDS = Integer.getInteger("sluice.sequences", 2);
  private static final int FIRST_SEED = Integer.getInteger("sluice.sequences.first", 1);
  private static final int CLIENTS = 10;
  private static final int MESSAGES = 200;
  private static final int STEPS = 1_200;
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String DEAD = "dead";

  /** One per provider, for all seeds. */
  private static final Map<String, Scene> SCENES = new HashMap<>();

  private final MessageBook book = new MessageBook();
  private final List<SequenceClient> clients = new ArrayList<>();
  private Scene scene;
  private Random random;
  private String queue;

  /** Broker and node. */
  private record Scene(TestBroker broker, TestNode node, TestPublisher publisher) {
    static Scene start(String provider) {
      TestBroker broker = TestBroker.start(provider);
      String unlimited = "?jms.redeliveryPolicy.maximumRedeliveries=-1";
      String url = broker.url() + (provider.equals("classic") ? unlimited : "");
      Config config =
          TestNode.unlimited(TestNode.config(provider, url))
              .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
              .with(TopicSettings.QUEUES_DEAD_LETTER, DEAD)
              .with(TopicSettings.QUEUES_ACK_TIMEOUT, Duration.ofHours(1))
              .with(LimitSettings.FRAME_RATE, 0);
      try {
        return new Scene(broker, TestNode.start(config), new TestPublisher(provider, broker.url()));
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    void send(String queue, int message) throws JMSException {
      Session session = publisher.session();
      try (MessageProducer producer = session.createProducer(session.createQueue(queue))) {
        producer.send(session.createTextMessage(String.valueOf(message)));
      }
    }

    /** Takes all messages out of the dead-letter queue. */
    List<Integer> takeDead() throws JMSException {
      List<Integer> dead = new ArrayList<>();
      Session session = publisher.session();
      try (MessageConsumer consumer = session.createConsumer(session.createQueue(DEAD))) {
        for (int count = broker.messages(DEAD); dead.size() < count; ) {
          Message next = consumer.receive(LONG.toMillis());
          assertThat(next).as("%d dead letters", count).isNotNull();
          dead.add(Integer.parseInt(next.getBody(String.class)));
        }
      }
      return dead;
    }

    void close() throws JMSException {
      publisher.close();
      node.close();
      broker.close();
    }
  }

  static Stream<Arguments> sequences() {
    return Stream.of("artemis", "classic")
        .flatMap(
            provider ->
                IntStream.range(FIRST_SEED, FIRST_SEED + SEEDS)
                    .mapToObj(seed -> Arguments.of(provider, seed)));
  }

  @AfterAll
  static void close() throws JMSException {
    for (Scene each : SCENES.values()) {
      each.close();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("sequences")
  void shouldKeepMessagesAndCreditExact(String provider, int seed) throws Exception {
    scene = SCENES.computeIfAbsent(provider, Scene::start);
    scene.takeDead(); // of a seed that failed
    random = new Random(seed);
    queue = "orders-" + seed;
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(client("client " + i));
    }
    try {
      for (int i = 0; i < STEPS; i++) {
        if (book.size() < MESSAGES && random.nextInt(4) == 0) {
          send(1 + random.nextInt(3));
        }
        clients.get(random.nextInt(CLIENTS)).step();
      }
      settleAll(random.nextBoolean());
      checkCredit();
    } finally {
      clients.forEach(SequenceClient::close);
    }
    await("consumers of closed clients")
        .atMost(LONG)
        .until(() -> scene.broker.queueConsumers(queue) == 0);
  }

  private SequenceClient client(String name) {
    return new SequenceClient(name, queue, this::socket, book, random);
  }

  private RawWebSocket socket() {
    return scene.node.request().timeout(LONG).open();
  }

  private void send(int count) throws JMSException {
    for (int i = 0; i < count; i++) {
      scene.send(queue, book.add());
    }
  }

  /**
   * Settles all messages and finds each of them.
   *
   * @param paused whether the clients have no credit, and another one receives all messages
   */
  private void settleAll(boolean paused) throws JMSException {
    for (SequenceClient each : clients) {
      if (paused) {
        each.credit(0);
      }
      each.settleAll(paused ? Settlement.RELEASE : Settlement.ACK);
    }
    // A message that arrived at the node before the credit may be delivered after the pong.
    Map<SequenceClient, Integer> received = new HashMap<>();
    SequenceClient last = client("the last client");
    last.credit(1);
    await("the queue is empty")
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              last.settleAll(Settlement.ACK);
              for (SequenceClient each : clients) {
                each.sync();
                received.merge(each, each.pending(), Integer::sum);
                book.check(!paused || received.get(each) <= 1, each + " is paused");
                each.settleAll(Settlement.ACK);
              }
              return scene.broker.messages(queue) == 0;
            });
    last.unsubscribe();
    last.close();
    book.checkEnds(scene.takeDead());
    await("consumers of closed clients")
        .atMost(LONG)
        .until(() -> scene.broker.queueConsumers(queue) == CLIENTS);
  }

  /** Uses up all credit twice; then the broker sends a message to another consumer. */
  private void checkCredit() throws JMSException {
    clients.forEach(each -> each.credit(random.nextInt(5)));
    clients.forEach(SequenceClient::sync); // the node knows before the next message is sent
    useUp();
    for (SequenceClient each : clients) {
      if (random.nextBoolean()) {
        each.credit(random.nextInt(5));
      }
      each.settleSome();
    }
    useUp();
    send(1);
    SequenceClient probe = client("the probe");
    probe.credit(1);
    probe.awaitDelivery();
    clients.forEach(SequenceClient::sync);
    checkPending(1);
    probe.unsubscribe();
    probe.close();
    SequenceClient granted = clients.get(random.nextInt(CLIENTS));
    granted.grantOne();
    granted.awaitDelivery();
    checkPending(0);
  }

  /** Sends as many messages as all clients can receive. */
  private void useUp() throws JMSException {
    int[] available = clients.stream().mapToInt(SequenceClient::available).toArray();
    send(IntStream.of(available).sum());
    for (int i = 0; i < CLIENTS; i++) {
      int before = clients.get(i).pending();
      while (clients.get(i).pending() < before + available[i]) {
        clients.get(i).awaitDelivery();
      }
    }
    clients.forEach(SequenceClient::sync);
    for (SequenceClient each : clients) {
      book.check(each.available() == 0, each + " received too few");
    }
  }

  private void checkPending(int others) {
    int pending = clients.stream().mapToInt(SequenceClient::pending).sum() + others;
    assertThat(scene.node.admin("/metrics").body())
        .as("%s", clients)
        .containsPattern("(?m)^sluice_queue_pending(\\{[^}]*})? " + pending + "(\\.0)?$");
  }
}
