package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of the SDK that know two sites, each with a broker of its own, of which one ends. */
@Timeout(300)
final class SiteSwitchIT {
  private static final List<String> TOPICS = List.of("sites.0", "sites.1");
  private static final int CLIENTS = 30;

  private static Config config(TestBroker broker, String site) {
    return TestNode.config(broker.provider(), broker.url())
        .with(Settings.BROKER_SITE, site)
        .with(Settings.BROKER_CANARY_INTERVAL, Duration.ofMillis(200))
        .with(Settings.HISTORY_WARM, List.of("sites.>"))
        .with(Settings.RESUME_MARGIN, Duration.ofMillis(500))
        .with(Settings.TIMEOUT_PING, Duration.ofMillis(500));
  }

  private static TestNode started(Config config) {
    TestNode node = TestNode.start(config);
    node.awaitReady();
    return node;
  }

  private static String address(TestNode node) {
    return "127.0.0.1:" + node.gateway().port();
  }

  @ParameterizedTest
  @ValueSource(strings = {"drained", "lost"})
  void shouldGoToTheOtherSiteAndBackAndSayThatSomethingMayBeMissing(String how) throws Exception {
    Consumer<TestNode> end =
        how.equals("drained") ? node -> node.gateway().drainAndStop() : TestNode::close;
    try (TestBroker paris = TestBroker.start("artemis");
        TestBroker oslo = TestBroker.start("artemis");
        TestNode first = started(config(paris, "paris"));
        TestNode second = started(config(oslo, "oslo"));
        Readers readers = new Readers(address(first) + "," + address(second), CLIENTS, TOPICS)) {
      awaitAll(readers, first, 0);
      long published = publish(paris, readers, 0);

      end.accept(first);
      awaitAll(readers, second, 1);
      published = publish(oslo, readers, published);

      int port = first.gateway().port();
      try (TestNode again = started(config(paris, "paris").with(Settings.SERVER_PORT, port))) {
        end.accept(second);
        awaitAll(readers, again, 2);
        publish(paris, readers, published);
      }
    }
  }

  /** All are connected there, and each subscription was told so many gaps. */
  private static void awaitAll(Readers readers, TestNode node, int gaps) {
    JsonNode report =
        readers.await(
            "all are there",
            r -> readers.areThere(r) && node.gateway().connections() == CLIENTS && told(r) >= gaps);
    assertThat(report.get("gaps").path("not-recovered").asInt())
        .as("gaps told to %s subscriptions", report.get("subscriptions"))
        .isEqualTo(gaps * report.get("subscriptions").asInt());
  }

  private static int told(JsonNode report) {
    return report.get("leastGaps").asInt();
  }

  /** Publishes some more than before, so that the numbers tell the sites apart. */
  private static long publish(TestBroker broker, Readers readers, long before) throws Exception {
    try (Numbers numbers =
        new Numbers(broker.provider(), broker.url(), TOPICS, Duration.ofMillis(2))) {
      readers.await("more than before", r -> Readers.haveAll(r, List.of(before + 1, before + 1)));
      List<Long> last = numbers.stop();
      readers.await("all have the last", r -> Readers.haveAll(r, last));
      return last.get(0);
    }
  }
}
