package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.Channel;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Delivery of messages by a real Artemis on the thread that reads the connection. */
final class ArtemisConsumerIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String TOPIC = "stocks";

  /** Sent by the broker in several packets. */
  private static final String LARGE = "x".repeat(150 * 1024);

  private final Received received = new Received();
  private ArtemisProcess server;
  private Provider provider;
  private Connection connection;
  private Session session;
  private TestPublisher publisher;

  @BeforeEach
  void start() throws Exception {
    server = ArtemisProcess.start();
    publisher = new TestPublisher("artemis", server.url());
    connect("");
  }

  @AfterEach
  void stop() throws Exception {
    publisher.close();
    connection.close();
    server.close();
  }

  private void connect(String query) throws Exception {
    Config config = Config.defaults().with(BrokerSettings.URL, server.url() + query);
    provider = ProviderOptions.of(config).newProvider();
    connection = provider.connect(0, () -> {});
    connection.start();
    session = provider.session(connection, Session.DUPS_OK_ACKNOWLEDGE);
  }

  /** Messages that have arrived, and the threads that delivered them. */
  private static final class Received implements Provider.Listener {
    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final Set<String> threads = ConcurrentHashMap.newKeySet();
    private volatile Error failure;
    private volatile boolean skipsLarge;

    @Override
    public void onMessage(Message message) {
      threads.add(Thread.currentThread().getName());
      Error thrown = failure;
      failure = null;
      if (thrown != null) {
        throw thrown;
      }
      if (skipsLarge && isLarge(message)) {
        return;
      }
      try {
        texts.add(((TextMessage) message).getText().replace(LARGE, ""));
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onUndecodable(long sequence, int priority, Throwable cause) {
      texts.add("undecodable");
    }

    private static boolean isLarge(Message message) {
      return ((ActiveMQMessage) message).getCoreMessage().isLargeMessage();
    }

    boolean isFromReader() {
      return threads.stream().allMatch(name -> name.contains("remoting"));
    }
  }

  private MessageConsumer open() throws JMSException {
    return provider.consumer(session, provider.topic(session, TOPIC), null);
  }

  private void publish(int from, int to) throws JMSException {
    for (int i = from; i < to; i++) {
      publisher.text(TOPIC, String.valueOf(i));
    }
  }

  private void awaitNumbers(int count) {
    List<String> expected = IntStream.range(0, count).mapToObj(String::valueOf).toList();
    await().atMost(LONG).until(() -> received.texts.size() >= count);
    assertThat(received.texts).isEqualTo(expected);
  }

  @Tag("full")
  @Test
  void shouldDeliverOnTheThreadThatReadsTheConnection() throws Exception {
    open().setMessageListener(received);
    publish(0, 100);
    awaitNumbers(100);
    assertThat(received.isFromReader()).as("%s", received.threads).isTrue();
  }

  @Tag("full")
  @Test
  void shouldDeliverMessagesThatArriveBeforeTheListenerFirst() throws Exception {
    MessageConsumer consumer = open();
    publish(0, 100);
    await().atMost(LONG).until(() -> provider.hasBufferedMessages(consumer));
    CompletableFuture<Void> more = CompletableFuture.runAsync(() -> publishUnchecked(100, 300));
    consumer.setMessageListener(received);
    more.join();
    awaitNumbers(300);
    await().atMost(LONG).until(() -> !provider.hasBufferedMessages(consumer));
    received.threads.clear();
    publish(300, 301);
    awaitNumbers(301);
    assertThat(received.isFromReader()).as("%s", received.threads).isTrue();
  }

  private void publishUnchecked(int from, int to) {
    try {
      publish(from, to);
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  @Tag("full")
  @Test
  void shouldPreserveTheOrderOfLargeAndSmallMessages() throws Exception {
    MessageConsumer consumer = open();
    consumer.setMessageListener(received);
    for (int i = 0; i < 200; i++) {
      publisher.text(TOPIC, i % 7 == 0 ? LARGE + i : String.valueOf(i));
    }
    awaitNumbers(200);
    assertThat(received.isFromReader()).as("%s", received.threads).isFalse();
    await().atMost(LONG).until(() -> !provider.hasBufferedMessages(consumer));
  }

  @Tag("full")
  @Test
  void shouldPreserveTheOrderOfCompressedMessages() throws Exception {
    open().setMessageListener(received);
    String compressing = server.url() + "?compressLargeMessage=true&minLargeMessageSize=1000";
    try (TestPublisher compressed = new TestPublisher("artemis", compressing)) {
      for (int i = 0; i < 100; i++) {
        compressed.text(TOPIC, i % 3 == 0 ? LARGE + i : String.valueOf(i));
      }
      awaitNumbers(100);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2000, 100_000})
  void shouldDeliverMoreThanTheWindow(int window) throws Exception {
    connection.close();
    connect("?consumerWindowSize=" + window);
    open().setMessageListener(received);
    publish(0, 2000);
    awaitNumbers(2000);
  }

  @Tag("full")
  @Test
  void shouldConfirmMessagesToABrokerThatStoresThem() throws Exception {
    connection.close();
    connect("?confirmationWindowSize=1024");
    open().setMessageListener(received);
    Channel channel = channel();
    int before = channel.getLastConfirmedCommandID();
    publish(0, 100);
    awaitNumbers(100);
    await().atMost(LONG).until(() -> channel.getLastConfirmedCommandID() == before + 100);
    assertThat(received.isFromReader()).as("%s", received.threads).isTrue();
  }

  private Channel channel() {
    ClientSessionInternal core =
        (ClientSessionInternal) ((ActiveMQSession) session).getCoreSession();
    return ((ActiveMQSessionContext) core.getSessionContext()).getSessionChannel();
  }

  @Tag("full")
  @Test
  void shouldLeaveMessagesWithARateLimitToTheClient() throws Exception {
    connection.close();
    connect("?consumerMaxRate=50");
    open().setMessageListener(received);
    long startNs = System.nanoTime();
    publish(0, 100);
    awaitNumbers(100);
    assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isGreaterThan(Duration.ofMillis(900));
    assertThat(received.threads).noneMatch(name -> name.contains("remoting"));
  }

  @Tag("full")
  @Test
  void shouldContinueAfterLargeMessagesThatAreNotRead() throws Exception {
    connection.close();
    connect("?consumerWindowSize=300000");
    received.skipsLarge = true;
    open().setMessageListener(received);
    for (int i = 0; i < 300; i++) {
      publisher.text(TOPIC, LARGE);
      publish(i * 5, i * 5 + 5);
    }
    awaitNumbers(1500);
  }

  @Tag("full")
  @Test
  void shouldForgetExpiredMessages() throws Exception {
    MessageConsumer consumer = open();
    MessageProducer producer =
        publisher.session().createProducer(publisher.session().createTopic(TOPIC));
    producer.setTimeToLive(500);
    producer.send(publisher.session().createTextMessage("expired"));
    await().atMost(LONG).until(() -> provider.hasBufferedMessages(consumer));
    long endMs = System.currentTimeMillis() + 600;
    await().atMost(LONG).until(() -> System.currentTimeMillis() > endMs);
    consumer.setMessageListener(received);
    publish(0, 10);
    awaitNumbers(10);
    await().atMost(LONG).until(() -> !provider.hasBufferedMessages(consumer));
  }

  @Tag("full")
  @Test
  void shouldContinueAfterAnErrorOfTheListener() throws Exception {
    open().setMessageListener(received);
    received.failure = new NoClassDefFoundError("com/example/Jar");
    publish(0, 1);
    await().atMost(LONG).until(() -> received.texts.contains("undecodable"));
    publish(1, 2);
    await().atMost(LONG).until(() -> received.texts.contains("1"));
    assertThat(received.texts).containsExactly("undecodable", "1");
  }

  @Tag("full")
  @Test
  void shouldOpenAndCloseConsumersWhileMessagesArrive() throws Exception {
    MessageConsumer stays = open();
    stays.setMessageListener(received);
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Integer> publishing =
        CompletableFuture.supplyAsync(
            () -> {
              int count = 0;
              while (!ended.get()) {
                publishUnchecked(count, ++count);
              }
              return count;
            });
    for (int i = 0; i < 50; i++) {
      MessageConsumer other = open();
      Received some = new Received();
      other.setMessageListener(some);
      await().atMost(LONG).until(() -> !some.texts.isEmpty());
      long startNs = System.nanoTime();
      provider.close(other);
      assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(Duration.ofSeconds(5));
      int first = Integer.parseInt(some.texts.get(0));
      List<String> consecutive =
          IntStream.range(first, first + some.texts.size()).mapToObj(String::valueOf).toList();
      assertThat(some.texts).isEqualTo(consecutive);
    }
    ended.set(true);
    awaitNumbers(publishing.get());
    await().atMost(LONG).until(() -> server.consumers(TOPIC) == 1);
  }
}
