package io.sluice.gateway.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Feed to a real broker, which is stopped and restarted. */
class FeedIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int TOPICS = 5;

  private final Map<String, List<Long>> sequences = new ConcurrentHashMap<>();
  private BrokerService broker;
  private Connection consumer;
  private Feed feed;
  private Thread publisher;

  @BeforeEach
  void setUp() throws Exception {
    broker = broker("tcp://127.0.0.1:0");
    consume();
  }

  @AfterEach
  void tearDown() throws Exception {
    feed.stop();
    publisher.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(publisher.isAlive()).isFalse();
    consumer.close();
    broker.stop();
  }

  @Tag("full")
  @Test
  void shouldPublishWithoutMissingMessagesAndContinueAfterALoss() throws Exception {
    publish(new FeedPlan("stocks.", TOPICS, 20));
    await().atMost(TIMEOUT).until(() -> received("stocks.4") >= 40);
    assertThat(sequences).hasSize(TOPICS);
    for (List<Long> growing : sequences.values()) {
      List<Long> numbers = List.copyOf(growing);
      assertThat(numbers).isEqualTo(from(1, numbers.size()));
    }

    String url = url();
    consumer.close();
    broker.stop();
    broker.waitUntilStopped();
    sequences.clear();
    broker = broker(url);
    consume();
    await().atMost(TIMEOUT).until(() -> received("stocks.0") >= 40);
    List<Long> later = List.copyOf(sequences.get("stocks.0"));
    assertThat(later.get(0)).isGreaterThan(40);
    assertThat(later).isEqualTo(from(later.get(0), later.size()));
  }

  private void publish(FeedPlan plan) throws Exception {
    FeedTarget target = FeedTarget.of(url(), FeedProvider.CLASSIC);
    feed = Feed.to(target, plan, new RandomPayloads(100), report -> {});
    publisher = new Thread(feed, "feed");
    publisher.start();
  }

  private void consume() throws Exception {
    consumer = new ActiveMQConnectionFactory(url()).createConnection();
    Session session = consumer.createSession(false, Session.AUTO_ACKNOWLEDGE);
    session
        .createConsumer(session.createTopic("stocks.*"))
        .setMessageListener(
            message -> {
              try {
                String text = ((TextMessage) message).getText();
                String topic = ((Topic) message.getJMSDestination()).getTopicName();
                String number = text.substring(text.indexOf("SEQ=") + 4).split(" ")[0];
                sequences
                    .computeIfAbsent(topic, any -> new CopyOnWriteArrayList<>())
                    .add(text.length() == 100 ? Long.parseLong(number) : -1);
              } catch (JMSException e) {
                throw new IllegalStateException(e);
              }
            });
    consumer.start();
  }

  private int received(String topic) {
    return sequences.getOrDefault(topic, List.of()).size();
  }

  private String url() throws Exception {
    return broker.getTransportConnectors().get(0).getConnectUri().toString();
  }

  private static List<Long> from(long first, int count) {
    return LongStream.range(first, first + count).boxed().toList();
  }

  private static BrokerService broker(String url) throws Exception {
    BrokerService broker = new BrokerService();
    broker.setPersistent(false);
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.addConnector(url);
    broker.start();
    broker.waitUntilStarted();
    return broker;
  }
}
