package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** SDK clients with the URL of one node, which redirects some of them to another node. */
@Timeout(300)
final class RedirectedClientsIT {
  private static final List<String> TOPICS = List.of("redirected.0", "redirected.1");
  private static final Duration MARGIN = Duration.ofMillis(500);
  private static final int CLIENTS = 40;
  private static final int SENT_ON = 10;
  private static final int MOVED = 15;

  private static Config config(TestBroker broker) {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(200))
        .with(TimeoutSettings.PING, Duration.ofMillis(500))
        .with(HistorySettings.WARM, List.of("redirected.>"))
        .with(HistorySettings.RESUME_MARGIN, MARGIN);
  }

  private static String place(TestNode node) {
    return "ws://127.0.0.1:" + node.gateway().port() + "/ws";
  }

  @Tag("full")
  @Test
  void shouldFollowRedirectsWithoutLoss() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode one = TestNode.start(config(broker));
        TestNode other = TestNode.start(config(broker))) {
      one.awaitReady();
      other.awaitReady();
      AtomicInteger left = new AtomicInteger(SENT_ON);
      one.clients().balance(() -> left.getAndDecrement() > 0 ? place(other) : null, Duration.ZERO);
      other.clients().balance(() -> place(one), Duration.ZERO);
      move(broker, one, other);
    }
  }

  private static void move(TestBroker broker, TestNode one, TestNode other) throws Exception {
    try (Readers readers = new Readers("127.0.0.1:" + one.gateway().port(), CLIENTS, TOPICS)) {
      awaitClients(readers, one, CLIENTS - SENT_ON, other, SENT_ON);
      try (Numbers numbers =
          new Numbers(broker.provider(), broker.url(), TOPICS, Duration.ofMillis(10))) {
        readers.await("positions that another node may trust", RedirectedClientsIT::mayMove);
        one.clients()
            .rebalance(MOVED, 500, () -> new RedirectTarget(place(other), () -> true))
            .toCompletableFuture()
            .get(1, TimeUnit.MINUTES);
        awaitClients(readers, one, CLIENTS - SENT_ON - MOVED, other, SENT_ON + MOVED);
        List<Long> last = numbers.stop();
        JsonNode end = readers.await("all have the last", r -> Readers.haveAll(r, last));
        assertThat(end.get("gaps")).isEmpty();
        assertThat(one.clients().moving()).isZero();
      }
    }
  }

  private static void awaitClients(
      Readers readers, TestNode one, int ofOne, TestNode other, int ofOther) {
    readers.await(
        "each is where it should be",
        report ->
            readers.areThere(report)
                && one.gateway().connections() == ofOne
                && one.clients().movable() == ofOne
                && other.gateway().connections() == ofOther
                && other.clients().movable() == ofOther);
  }

  private static boolean mayMove(JsonNode report) {
    return report.get("caughtUpMs").asLong() > 2 * MARGIN.toMillis() + 1_000;
  }
}
