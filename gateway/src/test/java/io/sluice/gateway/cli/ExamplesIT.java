package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of the JavaScript client: a Node script, and pages in a real browser. */
@Timeout(300)
final class ExamplesIT {
  private static final List<String> TOPICS = List.of("examples.1");

  @Test
  void shouldShowMessages() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(TestNode.config("artemis", broker.url()));
        Numbers numbers = new Numbers("artemis", broker.url(), TOPICS, Duration.ofMillis(50))) {
      await().until(() -> numbers.accepted().get(0) > 0);
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      assertThat(BrowserScript.run("examples/examples.mjs", Map.of(), url, TOPICS.get(0)))
          .containsExactly("NODE SHOWS MESSAGES", "PLAIN SHOWS MESSAGES", "REACT SHOWS MESSAGES");
    }
  }
}
