package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Nodes of one test on loopback, with short timeouts. Bound to the test's thread. */
final class Nodes implements AutoCloseable {
  static final String HOST = "127.0.0.1";
  static final Stack.Timing QUICK = new Stack.Timing(500, 5_000, 500, 1_000, 1_000);
  static final PeerIdentity OPEN = new PeerIdentity.Open();

  private static final int FIRST_PORT = 20_000;
  private static final int PORTS = 12_000;
  private static final AtomicInteger NEXT_PORT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

  private final String name;
  private final List<Integer> ports = new ArrayList<>();
  private final List<JGroupsCluster> running = new ArrayList<>();

  /** Unique name, which separates tests that run at the same time. */
  Nodes(String name, int most) throws IOException {
    this.name = name;
    List<ServerSocket> held = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      ServerSocket socket = nextFree();
      held.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : held) {
      socket.close();
    }
  }

  /**
   * Returns a socket bound to the next free port below the ephemeral ones. No port is returned
   * twice, since tests that run at the same time start some of their nodes late.
   */
  private static ServerSocket nextFree() throws IOException {
    for (int tries = 0; ; tries++) {
      int port = FIRST_PORT + Math.floorMod(NEXT_PORT.getAndIncrement(), PORTS);
      try {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
      } catch (BindException taken) {
        if (tries == 1000) {
          throw taken;
        }
      }
    }
  }

  static Node node(String id) {
    return Node.starting(id, "wss://" + id + ".example.com/ws", "", "1.0");
  }

  static ConditionFactory eventually() {
    return Awaitility.await()
        .atMost(120, TimeUnit.SECONDS)
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .pollDelay(Duration.ZERO);
  }

  int port(int index) {
    return ports.get(index);
  }

  List<String> addresses() {
    return ports.stream().map(port -> HOST + ":" + port).toList();
  }

  ClusterConfig config(int index) {
    return config(index, new Seeds.Listed(addresses()), OPEN);
  }

  ClusterConfig config(int index, Seeds seeds, PeerIdentity identity) {
    return config(name, HOST, port(index), seeds, identity);
  }

  static ClusterConfig config(
      String name, String host, int port, Seeds seeds, PeerIdentity identity) {
    Duration report = Duration.ofMillis(50);
    Duration timeout = Duration.ofSeconds(20);
    Duration join = Duration.ofSeconds(4);
    Duration merge = Duration.ofSeconds(10);
    return new ClusterConfig(
        name, host, port, seeds, identity, report, timeout, 10_000, join, merge);
  }

  JGroupsCluster start(int index) throws ClusterStartFailure {
    return start(index, node("node-" + index), OPEN);
  }

  JGroupsCluster start(int index, Node self, PeerIdentity identity) throws ClusterStartFailure {
    ClusterConfig config = config(index, new Seeds.Listed(addresses()), identity);
    return start(config, QUICK, self, () -> List.of());
  }

  JGroupsCluster start(
      ClusterConfig config, Stack.Timing timing, Node self, Supplier<List<String>> topics)
      throws ClusterStartFailure {
    JGroupsCluster cluster = JGroupsCluster.start(config, timing, self, topics);
    running.add(cluster);
    return cluster;
  }

  JGroupsCluster start(ClusterConfig config, Stack.Timing timing, Node self)
      throws ClusterStartFailure {
    return start(config, timing, self, () -> List.of());
  }

  static List<String> ids(Cluster cluster) {
    return cluster.nodes().stream().map(Node::id).toList();
  }

  static Node seen(Cluster by, String id) {
    return by.nodes().stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
  }

  @Override
  public void close() {
    running.parallelStream().forEach(JGroupsCluster::close);
  }
}
