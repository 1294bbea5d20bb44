package io.sluice.gateway.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.TestBroker;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tabs of a real browser that share one connection. */
@Timeout(300)
final class TabsIT {
  private static final Path SCRIPT = Path.of("..", "js-client", "browser", "tabs.mjs");
  private static final List<String> TOPICS = List.of("tabs.all");

  @Test
  void shouldShareOneConnectionThatEndsWithTheLast() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(TestNode.config("artemis", broker.url()));
        Numbers numbers = new Numbers("artemis", broker.url(), TOPICS, Duration.ofMillis(50))) {
      await().until(() -> numbers.accepted().get(0) > 0);
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      String metrics = "http://127.0.0.1:" + node.gateway().adminPort() + "/metrics";
      Process tabs =
          new ProcessBuilder("node", SCRIPT.toString(), url, TOPICS.get(0), metrics)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader lines = tabs.inputReader()) {
        assertThat(lines.lines())
            .containsExactly(
                "TABS SHARE ONE CONNECTION", "SUBSCRIPTIONS HAVE ENDED", "CONNECTION IS GONE");
        assertThat(tabs.waitFor(1, MINUTES)).isTrue();
        assertThat(tabs.exitValue()).isZero();
      } finally {
        // The browser ends when its pipe to the script does.
        tabs.destroy();
      }
    }
  }
}
