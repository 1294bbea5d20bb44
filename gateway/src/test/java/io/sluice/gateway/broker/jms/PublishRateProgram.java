package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Benchmark of publishing: messages per second that a real broker confirms, over a link with a
 * round trip of 1 ms and of 10 ms. Arguments: seconds per run, 10 by default, and the largest
 * number of unanswered publishes, 2,000 by default.
 */
public final class PublishRateProgram {
  private static final int WARM_UP_SECONDS = 3;
  private static final int CLIENTS = 16;
  private static final int PAYLOAD = 200;
  private static final int FEW_TOPICS = 100;

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Histogram latencies = new ConcurrentHistogram(3);
  private final Semaphore unanswered;
  private final int seconds;

  private PublishRateProgram(int seconds, int unanswered) {
    this.seconds = seconds;
    this.unanswered = new Semaphore(unanswered);
  }

  /** Prints one line per broker, round trip and number of topics. */
  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10;
    int unanswered = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2_000;
    System.out.println("broker   round trip  topics   messages/s  p50 ms  p99 ms  refused");
    for (String provider : List.of("artemis", "classic")) {
      try (TestBroker server = TestBroker.start(provider)) {
        for (int roundTripMs : List.of(1, 10)) {
          for (int topics : List.of(FEW_TOPICS, Integer.MAX_VALUE)) {
            new PublishRateProgram(seconds, unanswered).run(server, roundTripMs, topics);
          }
        }
      }
    }
    System.exit(0);
  }

  private void run(TestBroker server, int roundTripMs, int topics) throws Exception {
    Exposition exposition = new Exposition("publish-rate");
    GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
    try (SlowLink link = new SlowLink(server.url()).delayMicros(500L * roundTripMs)) {
      Config config =
          Config.defaults()
              .with(BrokerSettings.PROVIDER, server.provider())
              .with(BrokerSettings.URL, link.url());
      CountDownLatch connected = new CountDownLatch(1);
      JmsBroker broker =
          new JmsBroker(
              JmsOptions.of(config), QueueSupport.ABSENT, control, listener(connected), metrics);
      broker.start();
      connected.await();
      publishFor(broker, WARM_UP_SECONDS, topics);
      published.set(0);
      refused.set(0);
      latencies.reset();
      long startNs = System.nanoTime();
      publishFor(broker, seconds, topics);
      double tookS = (System.nanoTime() - startNs) / 1e9;
      System.out.printf(
          "%-8s %7d ms  %-7s %11.0f %7.1f %7.1f %8d%n",
          server.provider(),
          roundTripMs,
          topics == FEW_TOPICS ? "100" : "new",
          published.get() / tookS,
          latencies.getValueAtPercentile(50) / 1e6,
          latencies.getValueAtPercentile(99) / 1e6,
          refused.get());
      control.submit(broker::stop).get();
    } finally {
      control.shutdown();
      metrics.close();
      exposition.close();
    }
  }

  private static BrokerListener listener(CountDownLatch connected) {
    return new BrokerListener() {

      @Override
      public void onLive() {
        // Nothing is subscribed.
      }

      @Override
      public void onProbe(long sequence) {}

      @Override
      public void onProof(long sentMs) {
        // Not measured.
      }

      @Override
      public void onLost() {
        throw new AssertionError("the broker is lost");
      }
    };
  }

  private void publishFor(JmsBroker broker, int durationS, int topics) throws Exception {
    int most = unanswered.availablePermits();
    byte[] payload = new byte[PAYLOAD];
    long startNs = System.nanoTime();
    long endNs = startNs + TimeUnit.SECONDS.toNanos(durationS);
    for (int i = 0; System.nanoTime() < endNs; i++) {
      unanswered.acquire();
      String topic = "rate." + (topics == FEW_TOPICS ? i % topics : startNs + "." + i);
      Publication publication = new Publication(topic, PayloadKind.BYTES, payload, Map.of());
      broker.publish(publication, new Answer(i % CLIENTS));
    }
    unanswered.acquire(most); // the last ones belong to the measured time
    unanswered.release(most);
  }

  private final class Answer implements PublishListener {
    private final int client;
    private final long sentNs = System.nanoTime();

    Answer(int client) {
      this.client = client;
    }

    @Override
    public Requester requester() {
      return new Requester("", "", client);
    }

    @Override
    public void onPublished() {
      published.incrementAndGet();
      latencies.recordValue(System.nanoTime() - sentNs);
      unanswered.release();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      refused.incrementAndGet();
      unanswered.release();
    }
  }
}
