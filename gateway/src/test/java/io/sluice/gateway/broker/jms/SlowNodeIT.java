package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.EachBroker;
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
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * One topic exceeds the link of a node, and the broker closes the connections of slow consumers.
 */
@Timeout(240)
final class SlowNodeIT {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int QUIET = 9;
  private static final int LOSSES = 3;
  private static final String LARGE = "x".repeat(20_000);

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("slow-consumer-it");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Events hot = new Events();
  private final List<Events> quiet = new ArrayList<>();
  private JmsBroker broker;

  @AfterEach
  void close() throws Exception {
    if (broker != null) {
      control.submit(broker::stop).get();
    }
    control.shutdown();
    metrics.close();
    exposition.close();
  }

  /** Messages of a topic that have arrived since its consumer was opened last. */
  private static final class Events implements TopicListener {
    private final AtomicInteger active = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      received.add(new String(message.payload(), StandardCharsets.UTF_8));
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      throw new AssertionError(reason);
    }

    @Override
    public void onActive(boolean again) {
      received.clear();
      active.incrementAndGet();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      throw new AssertionError(code + why);
    }
  }

  private static TestBroker start(String provider) {
    if (provider.equals("classic")) {
      return ClassicBroker.startAborting(true);
    }
    ArtemisProcess artemis = ArtemisProcess.start();
    artemis.configure(
        "few.#",
        "{\"slowConsumerPolicy\":\"KILL\",\"slowConsumerThreshold\":40,"
            + "\"slowConsumerCheckPeriod\":2}");
    return artemis;
  }

  private void connect(TestBroker server, String url) throws Exception {
    String options =
        server instanceof ClassicBroker
            ? "?jms.prefetchPolicy.topicPrefetch=10"
            : "?consumerWindowSize=20000";
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, server.provider())
            .with(BrokerSettings.URL, url + options);
    broker =
        new JmsBroker(
            JmsOptions.of(config), QueueSupport.ABSENT, control, new BrokerEvents(), metrics);
    control.submit(broker::start).get();
    open("few.hot", hot);
    for (int i = 0; i < QUIET; i++) {
      quiet.add(new Events());
      open("few.quiet." + i, quiet.get(i));
    }
    await().atMost(LIMIT).until(() -> hot.active.get() == 1 && quietActive() == QUIET);
  }

  private void open(String topic, TopicListener listener) throws Exception {
    control.submit(() -> broker.open(InterestKey.of(topic), listener)).get();
  }

  private int quietActive() {
    return quiet.stream().mapToInt(topic -> topic.active.get()).sum();
  }

  private List<String> separate() {
    return broker.risks().stream()
        .filter(risk -> risk.setting().equals("connection"))
        .map(risk -> risk.address())
        .toList();
  }

  // The link carries about ten messages per second.
  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportGapsOfTheSlowTopicOnly(String provider) throws Exception {
    try (TestBroker server = start(provider);
        SlowLink link = new SlowLink(server.url()).bytesPerSecond(200_000);
        TestPublisher publisher = new TestPublisher(provider, server.url())) {
      connect(server, link.url());
      await().atMost(LIMIT).until(() -> publish(publisher, 0) && separate().contains("few.hot"));
      await()
          .atMost(LIMIT)
          .until(() -> publish(publisher, 0) && quietActive() == 2 * QUIET && hot.active.get() > 1);
      int before = hot.active.get();
      quiet.forEach(topic -> topic.received.clear());

      List<String> sent = new ArrayList<>();
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                sent.add(String.valueOf(sent.size() + 1));
                return publish(publisher, sent.size()) && hot.active.get() >= before + LOSSES;
              });
      for (Events topic : quiet) {
        await().atMost(LIMIT).until(() -> topic.received.contains(sent.get(sent.size() - 1)));
        assertThat(topic.received).containsSubsequence(sent);
      }
      assertThat(quietActive()).as("no quiet topic was lost again").isEqualTo(2 * QUIET);
    }
  }

  private static boolean publish(TestPublisher publisher, int number) throws Exception {
    for (int i = 0; i < 20; i++) {
      publisher.text("few.hot", LARGE);
    }
    for (int i = 0; i < QUIET; i++) {
      publisher.text("few.quiet." + i, String.valueOf(number));
    }
    return true;
  }
}
