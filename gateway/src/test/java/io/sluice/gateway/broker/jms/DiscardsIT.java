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
import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/** Messages that ActiveMQ Classic discards because a node is slow. */
final class DiscardsIT {
  private static final int COUNT = 500;
  private static final int GAP = -1;

  /** Numbers that have arrived, and gaps; the first message waits. */
  private static final class Slow implements TopicListener {
    private final CountDownLatch active = new CountDownLatch(1);
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
      active.countDown();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      throw new AssertionError(code + why);
    }
  }

  @Test
  void shouldReportAGapWhereClassicDiscardsMessages() throws Exception {
    ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
    try (ClassicBroker server = ClassicBroker.startDiscarding();
        TestPublisher publisher = new TestPublisher("classic", server.url());
        Exposition exposition = new Exposition("discards-it");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      Config config =
          Config.defaults()
              .with(BrokerSettings.PROVIDER, "classic")
              .with(BrokerSettings.URL, server.url() + "?jms.prefetchPolicy.topicPrefetch=10");
      JmsBroker broker = new JmsBroker(JmsOptions.of(config), control, new BrokerEvents(), metrics);
      Slow slow = new Slow();
      control.submit(broker::start).get();
      control.submit(() -> broker.open(InterestKey.of("few.1"), slow)).get();
      slow.active.await();
      publisher.text("few.1", "0");
      slow.waiting.await();
      for (int i = 1; i < COUNT; i++) {
        publisher.text("few.1", String.valueOf(i));
      }
      slow.released.countDown();

      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> slow.received.contains(COUNT - 1) && slow.received.contains(GAP));
      List<Integer> numbers = slow.received.stream().filter(n -> n != GAP).toList();
      assertThat(numbers).as("the broker has discarded some").hasSizeLessThan(COUNT).isSorted();
      for (int i = 1; i < numbers.size(); i++) {
        if (numbers.get(i) > numbers.get(i - 1) + 1) {
          int before = slow.received.indexOf(numbers.get(i - 1));
          await().until(() -> slow.received.lastIndexOf(GAP) > before);
        }
      }
      control.submit(broker::stop).get();
    } finally {
      control.shutdown();
    }
  }
}
