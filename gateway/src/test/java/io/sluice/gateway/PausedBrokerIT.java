package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Broker that stops delivering while its connections remain open. */
final class PausedBrokerIT {
  private static final Duration LONG = Duration.ofMinutes(2);

  @Tag("full")
  @Test
  void shouldNotifyClientsOfAPausedBrokerAndOfTheGapWhenItResumes() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start();
        TestNode node = TestNode.start(config(broker));
        RawWebSocket client =
            node.request().subprotocols(Encoding.JSON_SUBPROTOCOL).timeout(LONG).open()) {
      client.subscribe(1, "quiet");
      await().atMost(LONG).until(() -> node.metric("sluice_broker_proof_age_seconds") > 0);

      broker.pause();
      client.await("stale");
      assertThat(node.admin("/health/ready").statusCode()).isEqualTo(503);
      assertThat(node.metric("sluice_broker_silent_losses_total")).isEqualTo(1);

      broker.resume();
      assertThat(client.await("gap").get("reason").asText()).isEqualTo("broker-lost");
      client.await("live");
      try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
        publisher.text("quiet", "no longer");
      }
      assertThat(client.await("message").get("payload").asText()).isEqualTo("no longer");
      await().atMost(LONG).until(() -> node.admin("/health/ready").statusCode() == 200);
    }
  }

  private static Config config(ArtemisProcess broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(2));
  }
}
