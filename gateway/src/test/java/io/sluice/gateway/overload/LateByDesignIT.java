package io.sluice.gateway.overload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.EachBroker;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages with a delay and of long transactions arrive long after they are sent. The nodes stay
 * ready while other topics receive as many messages, and these catch up.
 */
@Tag("full")
@Timeout(300)
final class LateByDesignIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String DELAYED = "late.delayed";
  private static final String TRANSACTED = "late.transacted.";
  private static final List<String> ORDINARY = List.of("late.ordinary.0", "late.ordinary.1");

  /** Longer than a busy machine delays canaries for three times. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private static final long DELAY_MS = 10_000;
  private static final long INTERVAL_MS = 250;

  /** Messages that arrive over more than three margins. */
  private static final int ARRIVALS = 60;

  /** Interval of commits: above the spread, and below that of canaries. */
  private static final long COMMIT_INTERVAL_MS = 700;

  private static final Duration CANARY_INTERVAL = Duration.ofMillis(1_200);

  private static final Duration LARGE_MARGIN = Duration.ofSeconds(3);

  /** Commits over more than three margins, and transactions open at once, for over a margin. */
  private static final int COMMITS = 20;

  private static final int COMMITS_OPEN = 6;

  /** Arrivals in which a transaction stays open, which take longer than a margin. */
  private static final int OPEN = 12;

  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(500))
        .with(BrokerSettings.CANARY_TIMEOUT, TIMEOUT)
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, MARGIN);
  }

  /** Transactions with one message for each of several topics, committed in their order. */
  private static final class Transactions {
    private final Connection connection;
    private final List<String> topics;
    private final Deque<Session> open = new ArrayDeque<>();

    Transactions(Connection connection, List<String> topics) {
      this.connection = connection;
      this.topics = topics;
    }

    void begin(int number) throws JMSException {
      for (String topic : topics) {
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(session.createTopic(topic));
        producer.send(session.createTextMessage(String.valueOf(number)));
        open.add(session);
      }
    }

    void commitOldest() throws JMSException {
      for (int i = 0; i < topics.size(); i++) {
        Session session = open.remove();
        session.commit();
        session.close();
      }
    }
  }

  private static void publishDelayed(Session session) throws JMSException {
    MessageProducer producer = session.createProducer(session.createTopic(DELAYED));
    for (int i = 0; i < ARRIVALS; i++) {
      producer.setDeliveryDelay(DELAY_MS + i * INTERVAL_MS);
      producer.send(session.createTextMessage(String.valueOf(i)));
    }
  }

  private static List<RawWebSocket> clients(List<TestNode> nodes, List<String> topics) {
    List<RawWebSocket> clients = new ArrayList<>();
    for (TestNode node : nodes) {
      for (String topic : topics) {
        RawWebSocket client = node.request().timeout(TIMEOUT).open();
        client.subscribe(1, topic);
        clients.add(client);
      }
    }
    return clients;
  }

  // Late canaries are those of a machine that is too busy, and no judgement of the topics.
  private static void assertReady(TestNode node, int arrival) {
    HttpResponse<String> answer = node.admin("/health/ready");
    assertThat(answer.statusCode() == 200 || answer.body().contains("canaries"))
        .as("arrival %d: %s", arrival, answer.body())
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldStayReadyAndCatchUp(int transacted) throws Exception {
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < transacted; i++) {
      topics.add(TRANSACTED + i);
    }
    List<RawWebSocket> all = new ArrayList<>();
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode one = TestNode.start(config(broker));
        TestNode other = TestNode.start(config(broker));
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        Connection connection = new ActiveMQConnectionFactory(broker.url()).createConnection()) {
      List<TestNode> nodes = List.of(one, other);
      nodes.forEach(TestNode::awaitReady);
      List<RawWebSocket> delayed = clients(nodes, List.of(DELAYED));
      List<RawWebSocket> ordinary = clients(nodes, ORDINARY);
      List<RawWebSocket> committed = clients(nodes, topics);
      all.addAll(delayed);
      all.addAll(ordinary);
      all.addAll(committed);
      Transactions transactions = new Transactions(connection, topics);
      for (int i = 0; i < OPEN; i++) {
        transactions.begin(i);
      }
      publishDelayed(connection.createSession(false, Session.AUTO_ACKNOWLEDGE));

      for (int i = 0; i < ARRIVALS; i++) {
        for (RawWebSocket client : delayed) {
          assertThat(client.await("message").get("payload").asInt()).isEqualTo(i);
        }
        for (String topic : ORDINARY) {
          publisher.text(topic, String.valueOf(i));
        }
        transactions.commitOldest();
        transactions.begin(OPEN + i);
        for (TestNode node : nodes) {
          assertReady(node, i);
        }
        if (i == ARRIVALS / 2) {
          long nowMs = System.currentTimeMillis();
          for (RawWebSocket client : ordinary) {
            awaitCaughtUp(client, nowMs);
          }
        }
      }
      for (RawWebSocket client : committed) {
        for (int i = 0; i < ARRIVALS; i++) {
          assertThat(client.await("message").get("payload").asInt()).isEqualTo(i);
        }
      }
    } finally {
      all.forEach(RawWebSocket::close);
    }
  }

  // No other topic receives messages: all that arrive are late, with pauses between the commits.
  @ParameterizedTest
  @EachBroker
  void shouldStayReadyWhileTwoTopicsReceiveLateCommitsOnly(String provider) throws Exception {
    List<String> topics = List.of(TRANSACTED + 0, TRANSACTED + 1);
    List<RawWebSocket> all = new ArrayList<>();
    ScheduledExecutorService publisher = Executors.newSingleThreadScheduledExecutor();
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node =
            TestNode.start(
                config(broker)
                    .with(BrokerSettings.CANARY_INTERVAL, CANARY_INTERVAL)
                    .with(HistorySettings.RESUME_MARGIN, LARGE_MARGIN));
        Connection connection = connect(broker)) {
      node.awaitReady();
      all.addAll(clients(List.of(node), topics));
      Transactions transactions = new Transactions(connection, topics);
      for (int i = 0; i < COMMITS_OPEN; i++) {
        transactions.begin(i);
      }
      AtomicInteger next = new AtomicInteger(COMMITS_OPEN);
      Callable<Void> commit =
          () -> {
            transactions.commitOldest();
            transactions.begin(next.getAndIncrement());
            return null;
          };
      for (int i = 0; i < COMMITS; i++) {
        publisher.schedule(commit, COMMIT_INTERVAL_MS, TimeUnit.MILLISECONDS).get();
        for (RawWebSocket client : all) {
          assertThat(client.await("message").get("payload").asInt()).isEqualTo(i);
        }
        assertReady(node, i);
      }
    } finally {
      all.forEach(RawWebSocket::close);
      publisher.shutdownNow();
    }
  }

  private static Connection connect(TestBroker broker) throws JMSException {
    return broker.provider().equals("artemis")
        ? new ActiveMQConnectionFactory(broker.url()).createConnection()
        : new org.apache.activemq.ActiveMQConnectionFactory(broker.url()).createConnection();
  }

  private static void awaitCaughtUp(RawWebSocket client, long timeMs) {
    JsonNode frame = client.await("caught-up");
    while (frame.get("time").asLong() < timeMs) {
      frame = client.await("caught-up");
    }
  }
}
