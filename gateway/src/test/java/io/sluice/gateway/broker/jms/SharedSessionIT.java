package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.provider.ArtemisProvider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.ArtemisProcess;
import jakarta.jms.JMSException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQInternalErrorException;
import org.apache.activemq.artemis.api.core.ActiveMQNotConnectedException;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Consumers of several topics on one session of a real Artemis. */
final class SharedSessionIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** Less than the client's call timeout, which fails a connection with a closed session. */
  private static final Duration SHORT = Duration.ofSeconds(5);

  private static final int MANY = 300;

  /** Payload of a message that the broker sends in several packets. */
  private static final String LARGE = "x".repeat(300 * 1024);

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("shared-session-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final BrokerEvents recorded = new BrokerEvents();
  private final List<String> events = recorded.list();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private ArtemisProcess server;
  private BrittleProvider provider;
  private JmsBroker broker;

  @AfterEach
  void stop() throws Exception {
    goOn.countDown();
    control.submit(broker::stop).get(60, TimeUnit.SECONDS);
    control.shutdown();
    metrics.close();
    exposition.close();
    server.close();
  }

  /** Connects to a broker with these options. */
  private void start(int parallelism, String... options) {
    server = ArtemisProcess.start(options);
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, "artemis")
            .with(BrokerSettings.URL, server.url())
            .with(BrokerSettings.OPEN_PARALLELISM, parallelism)
            .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200));
    provider = new BrittleProvider(new ArtemisProvider(ProviderOptions.of(config)));
    broker =
        new JmsBroker(
            JmsOptions.of(config), QueueSupport.ABSENT, control, recorded, metrics, provider);
    broker.start();
    awaitEvent("live");
  }

  private Broker.Consumer open(String name) throws Exception {
    Broker.Consumer consumer =
        control
            .submit(() -> broker.open(InterestKey.of(name), recorded.topicWithTexts(name)))
            .get(120, TimeUnit.SECONDS);
    await()
        .atMost(LONG)
        .until(
            () -> events.stream().anyMatch(event -> event.matches(name + " (active|refused.*)")));
    return consumer;
  }

  private void publish(String topic, String payload) throws Exception {
    PublishOutcome outcome = new PublishOutcome();
    byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
    broker.publish(new Publication(topic, PayloadKind.TEXT, bytes, Map.of()), outcome);
    assertThat(outcome.await()).isEqualTo("published");
  }

  private void awaitEvent(String event) {
    await().atMost(LONG).untilAsserted(() -> assertThat(events).contains(event));
  }

  @Tag("full")
  @Test
  void shouldOpenManyTopicsOnFewSessions() throws Exception {
    start(4);
    for (int i = 0; i < MANY; i++) {
      String name = "many." + i;
      control.execute(() -> broker.open(InterestKey.of(name), recorded.topicWithTexts(name)));
    }
    await()
        .atMost(LONG)
        .until(() -> events.stream().filter(event -> event.endsWith(" active")).count() == MANY);
    // Three full sessions, and one for each thread that found no session with capacity.
    assertThat(provider.sessions()).hasSizeLessThanOrEqualTo(7);
    publish("many.0", "a");
    publish("many." + (MANY - 1), "b");
    awaitEvent("many.0 a");
    awaitEvent("many." + (MANY - 1) + " b");
  }

  @Tag("full")
  @Test
  void shouldDeliverInOrderWhileOtherConsumersOfTheSessionOpenAndClose() throws Exception {
    start(1);
    open("stays");
    List<String> expected = IntStream.range(0, 200).mapToObj(i -> "stays " + i).toList();
    for (int i = 0; i < 200; i++) {
      publish("stays", String.valueOf(i));
      if (i % 20 == 0) {
        Broker.Consumer other = open("other." + i);
        control.submit(other::close).get(120, TimeUnit.SECONDS);
      }
    }
    awaitEvent("stays 199");
    assertThat(events).filteredOn(event -> event.matches("stays \\d+")).isEqualTo(expected);
    assertThat(provider.sessions()).hasSize(1);
    for (int i = 0; i < 200; i += 20) {
      String closed = "other." + i;
      await().atMost(LONG).until(() -> server.consumers(closed) == 0);
    }
  }

  @Test
  void shouldKeepTheSessionOfATopicThatIsRefused() throws Exception {
    start(1, "--closed", "closed");
    open("before");
    open("closed.new");
    open("after");
    assertThat(events).contains("closed.new refused: UNKNOWN_TOPIC", "after active");
    assertThat(provider.sessions()).hasSize(1);
    publish("before", "a");
    publish("after", "b");
    awaitEvent("before a");
    awaitEvent("after b");
    assertThat(events).doesNotContain("lost");
  }

  @Test
  void shouldKeepTheSessionOfATopicThatTheBrokerFailsToServe() throws Exception {
    start(1);
    open("before");
    provider.onTopic = () -> fail(new ActiveMQInternalErrorException("no such setting"));
    open("fails");
    provider.onTopic = BrittleProvider.Fault.NONE;
    open("after");
    assertThat(events).contains("fails refused: BROKER_UNAVAILABLE", "after active");
    assertThat(provider.sessions()).hasSize(1);
  }

  @Test
  void shouldOpenATopicOnAnotherSessionAfterARequestWithoutResponse() throws Exception {
    start(1);
    open("before");
    provider.onTopic =
        () -> {
          provider.onTopic = BrittleProvider.Fault.NONE;
          fail(new ActiveMQNotConnectedException("closed in between"));
        };
    open("after");
    assertThat(events).contains("after active");
    assertThat(provider.sessions()).hasSize(2);
  }

  private static void fail(ActiveMQException cause) throws JMSException {
    throw JMSExceptionHelper.convertFromActiveMQException(cause);
  }

  @Tag("full")
  @Test
  void shouldReplaceAClosedSession() throws Exception {
    start(1);
    open("first");
    open("second");
    ((ActiveMQSession) provider.sessions().get(0)).getCoreSession().close();
    open("third");
    awaitEvent("first active again");
    awaitEvent("second active again");
    publish("first", "a");
    publish("third", "b");
    awaitEvent("first a");
    awaitEvent("third b");
    assertThat(events).contains("third active").doesNotContain("lost");
  }

  @Tag("full")
  @Test
  void shouldNotConfirmAnyTopicOfASessionThatTheBrokerCloses() throws Exception {
    start(1);
    List<Broker.Consumer> consumers = new ArrayList<>();
    for (String topic : List.of("a", "b", "c")) {
      consumers.add(open(topic));
    }
    provider.onTopic = this::awaitGoOn;
    server.closeSession("b");
    await()
        .atMost(SHORT)
        .until(
            () ->
                consumers.stream()
                    .allMatch(consumer -> consumer.readingSequence() == Long.MIN_VALUE));
    provider.onTopic = BrittleProvider.Fault.NONE;
    goOn.countDown();
    for (String topic : List.of("a", "b", "c")) {
      awaitEvent(topic + " active again");
      publish(topic, "1");
      awaitEvent(topic + " 1");
      // The queue on the closed session is deleted.
      await().atMost(LONG).until(() -> server.consumers(topic) == 1);
    }
    assertThat(consumers)
        .allSatisfy(consumer -> assertThat(consumer.readingSequence()).isEqualTo(Long.MAX_VALUE));
    assertThat(events).doesNotContain("lost");
  }

  @Tag("full")
  @Test
  void shouldOpenATopicOnAnotherSessionIfTheBrokerClosesTheFirst() throws Exception {
    start(2);
    Broker.Consumer first = open("first");
    provider.onTopic = this::awaitGoOn;
    control
        .submit(() -> broker.open(InterestKey.of("second"), recorded.topicWithTexts("second")))
        .get(120, TimeUnit.SECONDS);
    server.closeSession("first");
    await().atMost(SHORT).until(() -> first.readingSequence() == Long.MIN_VALUE);
    provider.onTopic = BrittleProvider.Fault.NONE;
    goOn.countDown();
    awaitEvent("second active");
    awaitEvent("first active again");
    assertThat(events).doesNotContain("lost");
  }

  @Tag("full")
  @Test
  void shouldReopenOnlyTheTopicWhoseConsumerTheBrokerCloses() throws Exception {
    start(1);
    Broker.Consumer stays = open("stays");
    open("closed");
    server.closeConsumer("closed");
    awaitEvent("closed active again");
    publish("closed", "a");
    publish("stays", "b");
    awaitEvent("closed a");
    awaitEvent("stays b");
    await().atMost(LONG).until(() -> server.consumers("closed") == 1);
    assertThat(stays.readingSequence()).isEqualTo(Long.MAX_VALUE);
    assertThat(events).doesNotContain("lost", "stays active again");
  }

  @Test
  void shouldReportABufferedMessageAsUnread() throws Exception {
    start(1);
    Broker.Consumer slow = open("slow");
    Broker.Consumer quick = open("quick");
    provider.onRead =
        () -> {
          provider.onRead = BrittleProvider.Fault.NONE;
          awaitGoOn();
        };
    publish("slow", LARGE);
    await().atMost(LONG).until(() -> slow.readingSequence() == Long.MIN_VALUE);
    publish("slow", "a");
    publish("quick", "b");
    awaitEvent("quick b");
    assertThat(events).doesNotContain("slow a");
    assertThat(slow.readingSequence()).isEqualTo(Long.MIN_VALUE);
    assertThat(quick.readingSequence()).isEqualTo(Long.MAX_VALUE);
    goOn.countDown();
    awaitEvent("slow a");
    assertThat(events).containsSubsequence("slow " + LARGE, "slow a");
    await().atMost(LONG).until(() -> slow.readingSequence() == Long.MAX_VALUE);
  }

  private void awaitGoOn() {
    try {
      goOn.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
