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

/** The examples of the JavaScript client: a Node script, and pages in a real browser. */
@Timeout(300)
final class ExamplesIT {
  private static final Path SCRIPT = Path.of("..", "js-client", "examples", "examples.mjs");
  private static final List<String> TOPICS = List.of("examples.1");

  @Test
  void shouldShowMessages() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(TestNode.config("artemis", broker.url()));
        Numbers numbers = new Numbers("artemis", broker.url(), TOPICS, Duration.ofMillis(50))) {
      await().until(() -> numbers.accepted().get(0) > 0);
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      Process examples =
          new ProcessBuilder("node", SCRIPT.toString(), url, TOPICS.get(0))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader lines = examples.inputReader()) {
        assertThat(lines.lines())
            .containsExactly("NODE SHOWS MESSAGES", "PLAIN SHOWS MESSAGES", "REACT SHOWS MESSAGES");
        assertThat(examples.waitFor(1, MINUTES)).isTrue();
        assertThat(examples.exitValue()).isZero();
      } finally {
        // The browser ends when its pipe to the script does.
        examples.destroy();
      }
    }
  }
}
