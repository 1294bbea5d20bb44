package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that a broker discards because a node is slow, or because a bridge is down. */
@Timeout(180)
final class DiscardsIT {
  private static final int COUNT = 500;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("discards-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final BrokerEvents events = new BrokerEvents();
  private final Slow slow = new Slow();
  private JmsBroker broker;

  @AfterEach
  void close() throws Exception {
    slow.released.countDown();
    if (broker != null) {
      control.submit(broker::stop).get();
    }
    control.shutdown();
    metrics.close();
    exposition.close();
  }

  private void connect(TestBroker server, String options) throws Exception {
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, server.provider())
            .with(BrokerSettings.URL, server.url() + options);
    broker = new JmsBroker(JmsOptions.of(config), QueueSupport.ABSENT, control, events, metrics);
    control.submit(broker::start).get();
  }

  private void open(String topic, TopicListener listener) throws Exception {
    control.submit(() -> broker.open(InterestKey.of(topic), listener)).get();
  }

  private static final int GAP = -1;

  /** Numbers that have arrived, and gaps; the first message waits. */
  private static final class Slow implements TopicListener {
    private final CountDownLatch active = new CountDownLatch(1);
    private final CountDownLatch activeAgain = new CountDownLatch(1);
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final List<Integer> received = new CopyOnWriteArrayList<>();

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      waiting.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      received.add(Integer.valueOf(new String(message.payload(), StandardCharsets.UTF_8)));
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      assertThat(reason).isEqualTo(GapReason.OVERLOAD);
      received.add(GAP);
    }

    @Override
    public void onActive(boolean again) {
      (again ? activeAgain : active).countDown();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      throw new AssertionError(code + why);
    }
  }

  /** Publishes more than the prefetch of a consumer that waits with the first message. */
  private void publishToSlowConsumer(ClassicBroker server, TestPublisher publisher)
      throws Exception {
    connect(server, "?jms.prefetchPolicy.topicPrefetch=10");
    open("few.1", slow);
    slow.active.await();
    publisher.text("few.1", "0");
    slow.waiting.await();
    for (int i = 1; i < COUNT; i++) {
      publisher.text("few.1", String.valueOf(i));
    }
  }

  @Test
  void shouldReportAGapWhereClassicDiscardsMessages() throws Exception {
    try (ClassicBroker server = ClassicBroker.startDiscarding();
        TestPublisher publisher = new TestPublisher("classic", server.url())) {
      publishToSlowConsumer(server, publisher);
      slow.released.countDown();

      await()
          .atMost(LIMIT)
          .until(() -> slow.received.contains(COUNT - 1) && slow.received.contains(GAP));
      assertThat(risks())
          .anyMatch(
              risk -> risk.matches("few.1 pendingMessageLimitStrategy \\d+ messages discarded"));
      List<Integer> numbers = slow.received.stream().filter(n -> n != GAP).toList();
      assertThat(numbers).as("the broker has discarded some").hasSizeLessThan(COUNT).isSorted();
      for (int i = 1; i < numbers.size(); i++) {
        if (numbers.get(i) > numbers.get(i - 1) + 1) {
          int before = slow.received.indexOf(numbers.get(i - 1));
          await().until(() -> slow.received.lastIndexOf(GAP) > before);
        }
      }
    }
  }

  // Its consumer is opened again: messages in between are covered by the gap of a reopened
  // consumer.
  @Test
  void shouldOpenAConsumerAgainThatClassicHasAborted() throws Exception {
    try (ClassicBroker server = ClassicBroker.startAborting(false);
        TestPublisher publisher = new TestPublisher("classic", server.url())) {
      publishToSlowConsumer(server, publisher);
      await().atMost(LIMIT).until(() -> server.consumers("few.1") == 0);
      slow.released.countDown();

      slow.activeAgain.await();
      publisher.text("few.1", String.valueOf(COUNT));
      await().atMost(LIMIT).until(() -> slow.received.contains(COUNT));
    }
  }

  @Tag("full")
  @Test
  void shouldOpenConsumersAgainAfterArtemisHasKilledASlowOne() throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start()) {
      server.configure(
          "few.#",
          "{\"slowConsumerPolicy\":\"KILL\",\"slowConsumerThreshold\":10,"
              + "\"slowConsumerCheckPeriod\":1}");
      connect(server, "?consumerWindowSize=1000");
      open("few.1", slow);
      slow.active.await();
      try (TestPublisher publisher = new TestPublisher("artemis", server.url())) {
        publisher.text("few.1", "0");
        slow.waiting.await();
        for (int i = 1; i < COUNT; i++) {
          publisher.text("few.1", String.valueOf(i));
        }
        await()
            .atMost(LIMIT)
            .until(
                () -> {
                  for (int i = 0; i < COUNT; i++) {
                    publisher.text("few.1", "0");
                  }
                  return server.consumers("few.1") == 0;
                });
        slow.released.countDown();
        slow.activeAgain.await();
        publisher.text("few.1", String.valueOf(COUNT));
        await().atMost(LIMIT).until(() -> slow.received.contains(COUNT));
        await().atMost(LIMIT).until(() -> risks().contains("few.1 slow-consumer-policy KILL"));
      }
    }
  }

  @Tag("full")
  @Test
  void shouldReportMissingMessagesWhenABridgeIsLostAndWhenItReturns() throws Exception {
    try (ClassicBroker other = ClassicBroker.start();
        ClassicBroker server = ClassicBroker.startBridged(other);
        TestPublisher publisher = new TestPublisher("classic", other.url())) {
      connect(server, "");
      open("few.1", events.topicWithTexts("few.1"));
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                publisher.text("few.1", "bridged");
                return events.list().contains("few.1 bridged");
              });
      // The node had no topics when the broker reported the bridge.
      await().atMost(LIMIT).until(() -> missing() == 1);

      other.kill();
      await().atMost(LIMIT).until(() -> missing() == 2);
      assertThat(risks()).anyMatch(risk -> risk.endsWith(" network bridge down"));
      other.restart();
      await().atMost(LIMIT).until(() -> missing() == 3);
    }
  }

  @Test
  void shouldReportMissingMessagesWhenABridgeThatWasDownAtTheFirstConnectReturns()
      throws Exception {
    try (ClassicBroker other = ClassicBroker.start()) {
      other.kill();
      try (ClassicBroker server = ClassicBroker.startBridged(other)) {
        connect(server, "");
        open("few.1", events.topicWithTexts("few.1"));
        await().atMost(LIMIT).until(() -> events.list().contains("few.1 active"));
        assertThat(missing()).isZero();

        other.restart();
        await().atMost(LIMIT).until(() -> missing() == 1);
      }
    }
  }

  private List<String> risks() {
    return broker.risks().stream()
        .map(risk -> risk.address() + " " + risk.setting() + " " + risk.value())
        .toList();
  }

  private long missing() {
    return events.list().stream().filter("missing"::equals).count();
  }
}
