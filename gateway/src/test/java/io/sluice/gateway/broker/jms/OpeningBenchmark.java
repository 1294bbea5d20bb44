package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.BrokerListener;
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
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how many topics per second a node opens at a real broker behind a delay, and how long it
 * takes to restore them after the connection was cut. Prints one line of a table per scene.
 */
public final class OpeningBenchmark {
  private static final long LIMIT_MINUTES = 30;

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("opening-benchmark");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final AtomicInteger active = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile CountDownLatch live = new CountDownLatch(1);
  private volatile CountDownLatch opened = new CountDownLatch(0);
  private volatile long lostNs;
  private volatile long firstNs;

  private OpeningBenchmark() {}

  /**
   * Runs the scenes.
   *
   * @param args provider, connections, topics to open, topics to restore, round trips in µs
   */
  public static void main(String[] args) throws Exception {
    String provider = args[0];
    int connections = Integer.parseInt(args[1]);
    int topics = Integer.parseInt(args[2]);
    int restored = Integer.parseInt(args[3]);
    System.out.println(
        "| provider | connections | round trip | topics opened | opens/s | topics restored"
            + " | first live | all live |");
    System.out.println("|---|---|---|---|---|---|---|---|");
    for (int i = 4; i < args.length; i++) {
      new OpeningBenchmark()
          .scene(provider, connections, topics, restored, Long.parseLong(args[i]));
    }
    System.exit(0);
  }

  private void scene(
      String provider, int connections, int topics, int restored, long roundTripMicros)
      throws Exception {
    try (TestBroker server = TestBroker.start(provider);
        SlowLink link = new SlowLink(server.url())) {
      Config config =
          Config.defaults()
              .with(BrokerSettings.PROVIDER, provider)
              .with(BrokerSettings.URL, link.url())
              .with(BrokerSettings.CONNECTIONS, connections)
              .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(1));
      JmsBroker broker =
          new JmsBroker(JmsOptions.of(config), QueueSupport.ABSENT, control, new Node(), metrics);
      broker.start();
      await(live);
      open(broker, "warm-up", 200);
      link.delayMicros(roundTripMicros / 2);
      double seconds = open(broker, "measured", topics);
      link.delayMicros(0);
      open(broker, "more", Math.max(0, restored - topics - 200));
      int all = active.get();
      link.delayMicros(roundTripMicros / 2);
      live = new CountDownLatch(1);
      firstNs = 0;
      link.cut();
      await(live);
      System.out.printf(
          "| %s | %d | %.1f ms | %d | %.0f | %d | %.2f s | %.2f s |%n",
          provider,
          connections,
          roundTripMicros / 1000.0,
          topics,
          topics / seconds,
          all,
          (firstNs - lostNs) / 1e9,
          (System.nanoTime() - lostNs) / 1e9);
      if (refused.get() > 0) {
        System.out.println(refused.get() + " refused");
      }
      control.submit(broker::stop).get();
    } finally {
      control.shutdown();
      metrics.close();
      exposition.close();
    }
  }

  private double open(JmsBroker broker, String prefix, int topics) throws Exception {
    opened = new CountDownLatch(topics);
    long startNs = System.nanoTime();
    for (int i = 0; i < topics; i++) {
      String name = prefix + "." + i;
      control.execute(() -> broker.open(InterestKey.of(name), new Topic()));
    }
    await(opened);
    return (System.nanoTime() - startNs) / 1e9;
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(LIMIT_MINUTES, TimeUnit.MINUTES)) {
      throw new AssertionError("not within " + LIMIT_MINUTES + " minutes");
    }
  }

  private final class Node implements BrokerListener {
    @Override
    public void onLive() {
      live.countDown();
    }

    @Override
    public void onProbe(long sequence) {}

    @Override
    public void onProof(long sentMs) {
      // Not measured.
    }

    @Override
    public void onLost() {
      lostNs = System.nanoTime();
    }
  }

  private final class Topic implements TopicListener {
    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      // Nothing is published.
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      // Nothing is published.
    }

    @Override
    public void onActive(boolean again) {
      if (again) {
        firstNs = firstNs == 0 ? System.nanoTime() : firstNs;
      } else {
        active.incrementAndGet();
        opened.countDown();
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      refused.incrementAndGet();
      opened.countDown();
    }
  }
}
