package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Page lifecycle in a real browser: the client resumes at its stored position. */
@Tag("full")
@Timeout(300)
final class PageLifeIT {
  private static final List<String> TOPICS = List.of("life.numbers");

  private static TestBroker broker;
  private static TestNode node;
  private static Numbers numbers;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node = TestNode.start(TestNode.config("artemis", broker.url()));
    numbers = new Numbers("artemis", broker.url(), TOPICS, Duration.ofMillis(20));
    await().until(() -> numbers.accepted().get(0) > 0);
  }

  @AfterAll
  static void stop() {
    if (numbers != null) {
      numbers.close();
    }
    if (node != null) {
      node.close();
    }
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"websocket", "http"})
  void shouldMissNoMessageAfterNavigationFreezeAndCrash(String transport) throws Exception {
    String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
    assertThat(BrowserScript.run("browser/life.mjs", Map.of(), url, TOPICS.get(0), transport))
        .containsExactly(
            "BACK FROM ANOTHER PAGE", "STOPPED AND RESUMED", "CRASHED AND LOADED AGAIN");
  }

  @Test
  void shouldShareStoredMessagesAmongPagesAndContinueAfterCrashOfTheWritingOne() throws Exception {
    String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
    assertThat(BrowserScript.run("browser/stored.mjs", Map.of(), url, TOPICS.get(0)))
        .containsExactly("ANOTHER PAGE SHOWS THEM", "ANOTHER PAGE WRITES", "SHOWN WITHOUT A NODE");
  }
}
