package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.transport.RawWebSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A client that stops reading, beside one that reads. */
final class SlowConsumerIT {
  private static final int MESSAGES = 4_000;
  private static final int BYTES = 4_096;

  @Test
  void shouldCloseTheSlowOneAndServeTheOtherCompletely() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(Settings.LIMIT_PENDING_BYTES, 256L * 1024)
                    .with(Settings.TIMEOUT_CLOSE, Duration.ofSeconds(30)));
        RawWebSocket slow = node.json();
        RawWebSocket quick = node.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      slow.subscribe(1, "slow.1");
      quick.subscribe(1, "slow.1");
      String filler = "x".repeat(BYTES);
      for (int i = 1; i <= MESSAGES; i++) {
        publisher.text("slow.1", "SEQ=" + i + " " + filler);
        // The quick client reads along, so that it never lags by more than this one message.
        assertThat(quick.await("message").get("payload").asText()).startsWith("SEQ=" + i + " ");
      }
      assertThat(node.metric("sluice_drops_total{cause=\"slow-consumer\"}")).isEqualTo(1);
      assertThat(node.metric("sluice_subscriptions")).isEqualTo(1);
      assertThat(slow.awaitClose()).isEqualTo(4000);
      slow.sendClose(4000, "");
      await().until(() -> node.gateway().connections() == 1);
    }
  }

  @Test
  void shouldCutASlowOneThatDoesNotEvenReadTheCloseFrame() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(Settings.LIMIT_PENDING_BYTES, 64L * 1024)
                    .with(Settings.TIMEOUT_CLOSE, Duration.ofMillis(200)));
        RawWebSocket slow = node.json();
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      slow.subscribe(1, "slow.2");
      String filler = "x".repeat(64 * 1024);
      while (node.gateway().connections() > 0) {
        publisher.text("slow.2", filler);
      }
      await()
          .untilAsserted(
              () ->
                  assertThat(node.metric("sluice_connections_closed_total{code=\"4000\"}"))
                      .isEqualTo(1));
    }
  }
}
