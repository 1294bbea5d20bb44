package io.sluice.gateway.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** EventSource of Chromium while its node drains and refuses all clients. */
@Timeout(180)
final class EventSourceDrainIT {
  private static final String REFUSED = "sluice_handshakes_refused_total{cause=\"503\"}";

  @Test
  void shouldComeBackWithItsPosition() throws Exception {
    String topic = StockClient.EVENT_SOURCE.prefix() + ".a";
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestCluster.start(
                TestNode.config("artemis", broker.url())
                    .with(TimeoutSettings.DRAIN, Duration.ofSeconds(1))
                    .with(BrokerSettings.LINGER, Duration.ofMinutes(10)));
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        StockProcess browser =
            StockClient.EVENT_SOURCE.start("127.0.0.1:" + node.gateway().port())) {
      browser.awaitEvent("OPEN");
      browser.command("subscribe", StockClient.EVENT_SOURCE.prefix() + ".*");
      browser.awaitEvent("SUBSCRIBED");
      publisher.text(topic, "before");
      browser.awaitEvent("MESSAGE " + topic + " before");
      assertThat(node.command("/drain").statusCode()).isEqualTo(202);
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(node.metric(REFUSED)).as("refusals").isPositive());
      publisher.text(topic, "meanwhile");
      assertThat(node.command("/undrain").statusCode()).isEqualTo(200);
      browser.awaitEvent("MESSAGE " + topic + " meanwhile");
      assertThat(browser.events()).noneMatch(each -> each.startsWith("NOTICE"));
    }
  }
}
