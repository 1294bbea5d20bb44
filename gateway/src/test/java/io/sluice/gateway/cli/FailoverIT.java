package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.EachBroker;
import io.sluice.gateway.TestProgram;
import io.sluice.testkit.Balancer;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Clients of the SDK behind a load balancer, while nodes are killed and stopped under them. */
@Tag("full")
@Timeout(600)
final class FailoverIT {
  private static final List<String> TOPICS =
      IntStream.range(0, 10).mapToObj(i -> "failover." + i).toList();
  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final long MARGIN_MS = 2_000;

  /** Of {@code resume.spread}, and of what messages were under way when a node was killed. */
  private static final long SOME_MORE_MS = 1_000;

  @TempDir private Path folder;

  @Test
  void shouldLoseNothingAndRepeatNothingWhenNodesEnd() throws Exception {
    endNodes("artemis", TestProgram.provide("haproxy"), 100);
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingAndRepeatNothingOfAThousandClients(String provider) throws Exception {
    Optional<String> program = TestProgram.provide("haproxy");
    endNodes(provider, program, program.isPresent() ? 1_000 : 100);
  }

  private void endNodes(String provider, Optional<String> program, int clients) throws Exception {
    try (TestBroker broker = TestBroker.start(provider);
        NodeProcess one = startNode(broker);
        NodeProcess other = startNode(broker);
        Balancer balancer = balancer(program, clients, List.of(one, other))) {
      endNodes(broker, List.of(one, other), balancer, clients);
    }
  }

  private Balancer balancer(Optional<String> haproxy, int clients, List<NodeProcess> nodes)
      throws Exception {
    if (haproxy.isPresent()) {
      return Haproxy.start(haproxy.get(), folder, clients, nodes);
    }
    Switchboard switchboard = new Switchboard();
    for (NodeProcess node : nodes) {
      switchboard.add(node.host(), node.port());
    }
    return switchboard;
  }

  private NodeProcess startNode(TestBroker broker) {
    return NodeProcess.start(
        folder,
        """
        broker: {provider: %s, url: "%s"}
        timeouts.ping: 1s
        history.warm: [failover.>]
        history.messages: 20000
        history.bytes: 16MiB
        resume.margin: %dms
        """
            .formatted(broker.provider(), broker.url(), MARGIN_MS));
  }

  private static void endNodes(
      TestBroker broker, List<NodeProcess> nodes, Balancer balancer, int clients) throws Exception {
    NodeProcess one = nodes.get(0);
    NodeProcess other = nodes.get(1);
    try (Readers readers = new Readers(balancer.address(), clients, TOPICS)) {
      readers.await("all are there", readers::areThere);
      try (Numbers numbers = new Numbers(broker.provider(), broker.url(), TOPICS, INTERVAL)) {
        moveAll(readers, numbers, one::kill, one, other);
        one.restart();
        moveAll(readers, numbers, other::kill, other, one);
        other.restart();
        moveAll(readers, numbers, one::stop, one, other);
        List<Long> last = numbers.stop();
        JsonNode end = readers.await("all have the last", r -> Readers.haveAll(r, last));
        assertThat(end.get("gaps")).isEmpty();
      }
    }
  }

  private static void moveAll(
      Readers readers, Numbers numbers, Runnable end, NodeProcess doomed, NodeProcess survivor) {
    long readyMs = System.currentTimeMillis();
    readers.await("positions that another node may trust", report -> mayMove(report, readyMs));
    double moving = doomed.metric("sluice_connections");
    assertThat(moving).isPositive();
    end.run();
    List<Long> then = numbers.accepted();
    readers.await(
        "all have moved",
        report -> readers.areThere(report) && Readers.haveAll(report, next(then)));
    assertThat(survivor.metric("sluice_resumes_total{recovered=\"true\"}"))
        .isGreaterThanOrEqualTo(2 * moving);
  }

  // PROTOCOL.md, section 8: the log of the other node, which was ready then, and the client's own
  // subscription have to reach back to before what the client may not have.
  private static boolean mayMove(JsonNode report, long readyMs) {
    return report.get("caughtUpMs").asLong() > 2 * MARGIN_MS + SOME_MORE_MS
        && report.get("caughtUpTo").asLong() > readyMs + 3 * MARGIN_MS + SOME_MORE_MS;
  }

  /** Returns the messages sent after these. */
  private static List<Long> next(List<Long> numbers) {
    return numbers.stream().map(number -> number + 2).toList();
  }
}
