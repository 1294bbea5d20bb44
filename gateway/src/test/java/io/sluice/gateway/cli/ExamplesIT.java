package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Examples of the JavaScript client and the code of the tutorials: a Node script, and pages in a
 * real browser.
 */
@Timeout(300)
final class ExamplesIT {
  private static final List<String> TOPICS = List.of("examples.1");

  @Tag("full")
  @Test
  void shouldRunExamplesAndTutorials(@TempDir Path folder) throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(withQueues(TestNode.config("artemis", broker.url())));
        Numbers numbers = new Numbers("artemis", broker.url(), TOPICS, Duration.ofMillis(50));
        Prices prices = new Prices(broker.url());
        ChatTutorial chat = ChatTutorial.start(folder, broker.url())) {
      prices.start();
      await().until(() -> numbers.accepted().get(0) > 0);
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      assertThat(
              BrowserScript.run(
                  "examples/examples.mjs",
                  Map.of("SCREEN SHOWS PRICES", () -> stop(prices)),
                  url,
                  TOPICS.get(0),
                  chat.address()))
          .containsExactly(
              "NODE SHOWS MESSAGES",
              "PLAIN SHOWS MESSAGES",
              "REACT SHOWS MESSAGES",
              "ORDERS ARE FILLED",
              "CHAT SHOWS MESSAGES",
              "CHAT SHOWS REFUSALS",
              "SCREEN SHOWS PRICES",
              "SCREEN SHOWS STALE PRICES",
              "CHAT RENEWS ITS TOKEN");
    }
  }

  @Tag("full")
  @Test
  void shouldRunTheExamplesOfPages() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = TestNode.start(withQueues(TestNode.config("artemis", broker.url())))) {
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      assertThat(BrowserScript.run("examples/snippets.mjs", Map.of(), url))
          .last(STRING) // examples may print, too
          .matches("SNIPPETS RUN: [1-9]\\d+");
    }
  }

  /** Adds the permissions of the example's node.yaml, and those of the pages' examples. */
  private static Config withQueues(Config config) {
    List<String> queues = List.of("orders", "quotes", "fills", "fills.*");
    return config
        .with(TopicSettings.SELECTORS, true)
        .with(TopicSettings.PRESENCE_TOPICS, List.of(">"))
        .with(TopicSettings.QUEUES_SEND, queues)
        .with(TopicSettings.QUEUES_CONSUME, queues);
  }

  private static String stop(Prices prices) {
    prices.close();
    return "STOPPED";
  }
}
