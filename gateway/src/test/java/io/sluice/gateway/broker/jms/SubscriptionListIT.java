package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** List of subscriptions at a distant Classic with queues of other applications. */
@Timeout(180)
final class SubscriptionListIT {
  private static final int QUEUES = 200;

  /** One way. With a round trip per queue, a list would exceed its time limit. */
  private static final long LINK_MICROS = 100_000;

  @Test
  void shouldListSubscriptionsWithoutARoundTripPerQueue() throws Exception {
    try (TestBroker server = TestBroker.start("classic");
        SlowLink link = new SlowLink(server.url()).delayMicros(LINK_MICROS);
        QueueScene scene =
            new QueueScene(
                PublishScene.config("classic", link.url())
                    .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofSeconds(20)))) {
      List<String> queues = new ArrayList<>();
      for (int i = 0; i < QUEUES; i++) {
        queues.add("application." + i);
      }
      QueueScene.send(new ActiveMQConnectionFactory(server.url()), String.join(",", queues), "x");

      assertThat(scene.list("ann", 10)).isEmpty();
    }
  }
}
