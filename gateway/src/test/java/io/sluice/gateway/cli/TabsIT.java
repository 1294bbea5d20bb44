package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tabs of a real browser that share one connection. */
@Timeout(300)
final class TabsIT {
  private static final List<String> TOPICS = List.of("tabs.all");

  @Tag("full")
  @Test
  void shouldShareOneConnectionUntilTheLastTabCloses() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(config(broker));
        Numbers numbers = new Numbers("artemis", broker.url(), TOPICS, Duration.ofMillis(50))) {
      await().until(() -> numbers.accepted().get(0) > 0);
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      String metrics = "http://127.0.0.1:" + node.gateway().adminPort() + "/metrics";
      assertThat(BrowserScript.run("browser/tabs.mjs", Map.of(), url, TOPICS.get(0), metrics))
          .containsExactly(
              "TABS SHARE ONE CONNECTION",
              "ONE HAS CRASHED",
              "SUBSCRIPTIONS HAVE ENDED",
              "CONNECTION IS GONE",
              "ANOTHER WORKER GOES ON");
    }
  }

  /** Linger of the topic's log, which must exceed the time without a subscriber. */
  private static Config config(TestBroker broker) {
    return TestNode.config("artemis", broker.url())
        .with(BrokerSettings.LINGER, Duration.ofMinutes(5));
  }
}
