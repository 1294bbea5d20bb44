package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.BrokerProcess;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.Switchboard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of the SDK at a node that loses its broker, while others go on publishing. */
@Tag("full")
@Timeout(600)
final class BrokerFailureIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int CLIENTS = 100;
  private static final List<String> TOPICS =
      IntStream.range(0, 10).mapToObj(i -> "failover." + i).toList();

  private static final List<Long> SOME = Collections.nCopies(TOPICS.size(), 20L);

  @TempDir private Path folder;

  @Test
  void shouldReportGapsToAllClientsWhenArtemisIsKilledAndReturns() throws Exception {
    killTheBroker("artemis");
  }

  @Test
  void shouldReportGapsToAllClientsWhenClassicIsKilledAndReturns() throws Exception {
    killTheBroker("classic");
  }

  @Test
  void shouldReportGapsToAllClientsWhenArtemisIsPausedForTooLong() throws Exception {
    pauseTheBroker("artemis");
  }

  @Test
  void shouldReportGapsToAllClientsWhenClassicIsPausedForTooLong() throws Exception {
    pauseTheBroker("classic");
  }

  private void killTheBroker(String provider) throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(provider)) {
      loseTheBroker(broker, broker::kill, broker::restart);
    }
  }

  private void pauseTheBroker(String provider) throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(provider)) {
      loseTheBroker(broker, broker::pause, broker::resume);
    }
  }

  private void loseTheBroker(BrokerProcess broker, Runnable lose, Runnable bringBack)
      throws Exception {
    try (Switchboard link = new Switchboard()) {
      link.add(broker.host(), broker.port());
      try (NodeProcess node = startNode(broker.provider(), link.address());
          Readers readers = new Readers(node.address(), CLIENTS, TOPICS)) {
        readers.await("all are there", readers::areThere);
        try (Numbers numbers =
            new Numbers(broker.provider(), broker.url(), TOPICS, Duration.ofMillis(20))) {
          readers.await("all clients receive messages", report -> Readers.haveAll(report, SOME));
          lose.run();
          // The node comes back after the publisher, so that there is something to be missed.
          link.removeAll();
          readers.await("all clients are notified", readers::areStale);
          bringBack.run();
          awaitMore(numbers);
          link.add(broker.host(), broker.port());
          readers.await("all are back", readers::areThere);
          awaitMore(numbers);
          List<Long> last = numbers.stop();
          checkEnd(readers.await("all have the last", r -> Readers.haveAll(r, last)));
        }
      }
    }
  }

  private NodeProcess startNode(String provider, String address) {
    return NodeProcess.start(
        folder,
        """
        broker: {provider: %s, url: "tcp://%s"}
        broker.canary.timeout: 2s
        """
            .formatted(provider, address),
        TunedNode.watchful());
  }

  /** Some of each topic are taken by the broker from now on. */
  private static void awaitMore(Numbers numbers) {
    List<Long> before = numbers.accepted();
    await("the broker takes messages")
        .atMost(TIMEOUT)
        .until(
            () -> {
              List<Long> now = numbers.accepted();
              return IntStream.range(0, now.size())
                  .allMatch(i -> now.get(i) >= before.get(i) + SOME.get(i));
            });
  }

  private static void checkEnd(JsonNode report) {
    assertThat(report.get("leastStale").asInt()).isPositive();
    assertThat(report.get("leastGaps").asInt()).isPositive();
    assertThat(report.get("leastHoles").asInt()).isPositive();
    assertThat(report.get("gaps").fieldNames()).toIterable().containsExactly("broker-lost");
  }
}
