package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.cli.Numbers;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestBroker;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes of a cluster are killed while their clients use topics that are not in {@code
 * history.warm}. {@code -Dsluice.kill.keep-warm=false} measures a cluster that does not
 * pre-subscribe topics of other nodes. {@code -Dsluice.kill.clients} and {@code
 * -Dsluice.kill.kills} set other sizes.
 */
@Tag("full")
@Timeout(600)
final class NodeKillIT {
  private static final boolean KEEP_WARM =
      Boolean.parseBoolean(System.getProperty("sluice.kill.keep-warm", "true"));
  private static final int CLIENTS = Integer.getInteger("sluice.kill.clients", 60);
  private static final int KILLS = Integer.getInteger("sluice.kill.kills", 1);
  private static final int NODES = 3;
  private static final long MARGIN_MS = 1_000;

  /** Margin in addition to {@code resume.spread} for messages in transit when a node was killed. */
  private static final long MARGIN_IN_TRANSIT_MS = 1_000;

  private static final Duration INTERVAL = Duration.ofMillis(25);

  /** Some topics have one client. Others have two, which connect to different nodes. */
  private static final List<String> TOPICS =
      IntStream.range(0, CLIENTS * 3 / 4).mapToObj(i -> "kill." + i).toList();

  @TempDir private Path folder;
  private final List<Integer> peers = FreePorts.some(NODES);
  private final List<NodeProcess> nodes = new ArrayList<>();

  private static ConditionFactory eventually(String what) {
    return await(what).atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(100));
  }

  private NodeProcess start(TestBroker broker, int number) {
    String peerList =
        String.join(", ", peers.stream().map(p -> "\"127.0.0.1:" + p + "\"").toList());
    return NodeProcess.start(
        List.of(),
        "127.0.0.1",
        new NodeProcess.Ports(0, 0),
        folder,
        """
        node.name: kill-%d
        broker: {provider: %s, url: "%s"}
        timeouts.ping: 1s
        resume.margin: %dms
        history.age: 5m
        cluster.name: kill
        cluster.host: 127.0.0.1
        cluster.port: %d
        cluster.nodes: [%s]
        cluster.keep-warm: %s
        """
            .formatted(
                number,
                broker.provider(),
                broker.url(),
                MARGIN_MS,
                peers.get(number),
                peerList,
                KEEP_WARM));
  }

  @Test
  void shouldRecoverAllClientsOfKilledNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        Switchboard balancer = new Switchboard()) {
      for (int i = 0; i < NODES; i++) {
        nodes.add(start(broker, i));
      }
      nodes.forEach(node -> balancer.add("127.0.0.1", port(node)));
      try (Numbers numbers = new Numbers(broker.provider(), broker.url(), TOPICS, INTERVAL);
          RoamingClients roamers = new RoamingClients(address(balancer), TOPICS)) {
        roamers.add(CLIENTS);
        eventually("all are there").until(() -> roamers.live() == CLIENTS);
        for (int kill = 0; kill < KILLS; kill++) {
          kill(nodes.get(kill % NODES), roamers, numbers);
        }
      }
    } finally {
      nodes.forEach(NodeProcess::close);
    }
  }

  private static int port(NodeProcess node) {
    return Integer.parseInt(node.address().substring(node.address().indexOf(':') + 1));
  }

  private static InetSocketAddress address(Switchboard balancer) {
    String address = balancer.address();
    int colon = address.indexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  private void kill(NodeProcess doomed, RoamingClients roamers, Numbers numbers) {
    if (KEEP_WARM) {
      for (NodeProcess node : nodes) {
        eventually("topics of all nodes are open")
            .until(() -> node.metric("sluice_interests") == TOPICS.size());
      }
    }
    long completeMs = System.currentTimeMillis() + MARGIN_IN_TRANSIT_MS;
    eventually("positions that other nodes trust")
        .until(() -> roamers.untrusted(completeMs, MARGIN_MS) == 0);
    roamers.take();
    doomed.kill();
    long then = System.nanoTime();
    eventually("all are elsewhere").until(() -> roamers.live() == CLIENTS);
    List<Long> next = numbers.accepted().stream().map(number -> number + 2).toList();
    eventually("all have what came later").until(() -> roamers.behind(next) == 0);
    Observations seen = roamers.take();
    System.out.printf(
        "keep-warm %s: %d clients of %d resumed, %d received a gap, %d lost, %d duplicates, %.1f"
            + " s%n",
        KEEP_WARM,
        seen.broken(),
        CLIENTS,
        seen.gaps(),
        seen.lost(),
        seen.duplicates(),
        (System.nanoTime() - then) / 1e9);
    assertThat(seen.broken()).isPositive();
    assertThat(seen.lost()).isZero();
    assertThat(seen.duplicates()).isZero();
    if (KEEP_WARM) {
      assertThat(seen.gaps()).isZero();
    }
    doomed.restart();
  }
}
