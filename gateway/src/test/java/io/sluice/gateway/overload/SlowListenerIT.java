package io.sluice.gateway.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.EachBroker;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * No live message may be older than the {@code caught-up} before it on its connection, while the
 * listener of one topic is slower than its publisher, and after a stalled link. Takes some seconds,
 * or the time of {@code -Dsluice.overload.minutes}.
 */
final class SlowListenerIT {
  private static final int MINUTES = Integer.getInteger("sluice.overload.minutes", 0);
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final String SLOW = "listener.slow";
  private static final String QUICK = "listener.quick";
  private static final String QUIET = "listener.quiet";
  private static final Map<String, Duration> INTERVALS =
      Map.of(
          SLOW, Duration.ofMillis(2),
          QUICK, Duration.ofMillis(5),
          QUIET, Duration.ofMillis(500));

  /** Longer than the interval of the slow topic's messages in {@link #INTERVALS}. */
  private static final int DELAY_MS = 3;

  private static final Duration MARGIN = Duration.ofMillis(200);
  private static final long LAG_MS = 1_500;
  private static final int SMALL = 100;
  private static final int LARGE = 4_000;

  /** Much less than the topics produce. */
  private static final int STALLED_BYTES_PER_SECOND = 100_000;

  private static final long STALL_MS = 1_500;

  /** More than arrives at once after a stall. */
  private static final long BURST_BYTES = 256L << 20;

  private static final long REST_MS = 300;

  private static Config config(String provider, String url) {
    return TestNode.config(provider, url)
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(50))
        .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofMinutes(2))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(LimitSettings.PENDING_BYTES, BURST_BYTES)
        .with(HistorySettings.RESUME_MARGIN, MARGIN);
  }

  private static Config slowed(String provider, String url) {
    return config("factory", url)
        .with(BrokerSettings.CONNECTION_FACTORY, SlowedFactory.class.getName())
        .with(
            BrokerSettings.PROPERTIES,
            Map.of(
                "provider", provider,
                "url", url,
                "topic", SLOW,
                "delayMs", String.valueOf(DELAY_MS)));
  }

  /** Publishers of the topics and clients of them, alone and together. */
  private static final class Scene implements AutoCloseable {
    private final Map<String, NumberedPublisher> publishers;
    private final List<CaughtUpWatch> watches = new ArrayList<>();

    Scene(TestNode node, TestBroker broker, int bytes) throws Exception {
      publishers =
          Map.of(
              SLOW, publisher(broker, SLOW, bytes),
              QUICK, publisher(broker, QUICK, bytes),
              QUIET, publisher(broker, QUIET, SMALL));
      for (List<String> topics :
          List.of(List.of(SLOW), List.of(QUICK), List.of(QUIET), List.of(QUIET, QUICK, SLOW))) {
        watches.add(new CaughtUpWatch(node, topics, publishers::get));
      }
    }

    private static NumberedPublisher publisher(TestBroker broker, String topic, int bytes)
        throws Exception {
      return new NumberedPublisher(
          broker.provider(), broker.url(), List.of(topic), INTERVALS.get(topic), bytes);
    }

    NumberedPublisher publisher(String topic) {
      return publishers.get(topic);
    }

    long lagMs() {
      return watches.get(0).lagMs();
    }

    boolean hasAllOfSlow() {
      return watches.get(0).last() == publisher(SLOW).last(SLOW);
    }

    void awaitThat(String what, BooleanSupplier condition) {
      await(what)
          .atMost(TIMEOUT)
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                watches.forEach(CaughtUpWatch::check);
                return condition.getAsBoolean();
              });
    }

    /**
     * Waits until {@code caught-up} is sent to each connection again, when no topic lags any more.
     */
    void awaitCaughtUp() {
      long nowMs = System.currentTimeMillis();
      awaitThat("caught up", () -> watches.stream().allMatch(w -> w.caughtUpMs() > nowMs));
    }

    void assertNoneLate() {
      watches.forEach(watch -> System.out.println(watch));
      assertThat(watches)
          .as("connections with messages older than the caught-up before them")
          .filteredOn(watch -> watch.late() > 0)
          .isEmpty();
    }

    @Override
    public void close() throws JMSException {
      watches.forEach(CaughtUpWatch::close);
      for (NumberedPublisher publisher : publishers.values()) {
        publisher.close();
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldSendNoCaughtUpBeforeSlowListenerReceivesMessages(String provider) throws Exception {
    long endNs = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
    try (TestBroker broker = TestBroker.start(provider);
        TestNode node = TestNode.start(slowed(provider, broker.url()));
        Scene scene = new Scene(node, broker, SMALL)) {
      do {
        scene.publisher(SLOW).hold(false);
        scene.awaitThat("the slow topic lags", () -> scene.lagMs() > LAG_MS);
        scene.publisher(SLOW).hold(true);
        // This provider does not number messages, so topics receive no {@code caught-up} while
        // messages arrive.
        scene.awaitThat("all delivered", scene::hasAllOfSlow);
      } while (System.nanoTime() < endNs);
      scene.assertNoneLate();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldSendNoCaughtUpBeforeStalledLinkDeliversMessages(String provider) throws Exception {
    long endNs = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
    try (TestBroker broker = TestBroker.start(provider);
        SlowLink link = new SlowLink(broker.url());
        TestNode node = TestNode.start(config(provider, link.url()));
        Scene scene = new Scene(node, broker, LARGE)) {
      do {
        link.bytesPerSecond(STALLED_BYTES_PER_SECOND);
        scene.awaitThat("the link has stalled", () -> scene.lagMs() > STALL_MS);
        link.bytesPerSecond(0);
        scene.awaitThat("the backlog is delivered", () -> scene.lagMs() < REST_MS);
        scene.awaitCaughtUp();
      } while (System.nanoTime() < endNs);
      scene.assertNoneLate();
    }
  }
}
