package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Cluster of the nodes of one site. Bound to the test's thread. */
final class SiteNodes implements AutoCloseable {
  /** {@code resume.margin} of the nodes. */
  static final long MARGIN_MS = 500;

  private static final int NODES = 2;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String UP = "sluice_cluster_nodes{state=\"up\"}";

  private final String name;
  private final TestBroker broker;
  private final int drainRate;
  private final List<Integer> ports = FreePorts.some(NODES);
  private final List<Integer> adminPorts = FreePorts.some(NODES);
  private final List<Integer> peerPorts = FreePorts.some(NODES);
  private final List<TestNode> nodes = new ArrayList<>();

  /** None runs yet. */
  SiteNodes(String name, TestBroker broker, int drainRate) {
    this.name = name;
    this.broker = broker;
    this.drainRate = drainRate;
  }

  private Config config(int number) {
    return TestNode.config(broker.provider(), broker.url())
        .with(AdminSettings.NODE_NAME, name + "-" + number)
        .with(ServerSettings.PORT, ports.get(number))
        .with(AdminSettings.PORT, adminPorts.get(number))
        .with(ClusterSettings.NAME, name)
        .with(ClusterSettings.HOST, "127.0.0.1")
        .with(ClusterSettings.PORT, peerPorts.get(number))
        .with(ClusterSettings.NODES, peerPorts.stream().map(port -> "127.0.0.1:" + port).toList())
        .with(ClusterSettings.PUBLIC_URL, "ws://" + address(number) + "/ws")
        .with(ClusterSettings.ADMIN_URL, "http://127.0.0.1:" + adminPorts.get(number))
        .with(ClusterSettings.REPORT, Duration.ofMillis(100))
        .with(TimeoutSettings.DRAIN_RATE, drainRate)
        .with(TimeoutSettings.DRAIN, TIMEOUT)
        .with(BrokerSettings.SITE, name)
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(200))
        .with(HistorySettings.WARM, List.of("sites.>"))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
        .with(TimeoutSettings.PING, Duration.ofMillis(500));
  }

  private String address(int number) {
    return "127.0.0.1:" + ports.get(number);
  }

  /** Returns the nodes' addresses as host:port, starting with a given one. */
  String addresses(int first) {
    return IntStream.range(0, NODES)
        .mapToObj(i -> address((first + i) % NODES))
        .collect(Collectors.joining(","));
  }

  /** Starts all of them, where they were if they have run before. */
  void start() {
    IntStream.range(0, NODES).forEach(number -> nodes.add(TestNode.start(config(number))));
  }

  /** Waits until all nodes are up in their cluster. */
  void awaitUp() {
    await(name + " is up")
        .atMost(TIMEOUT)
        .until(() -> nodes.stream().allMatch(node -> node.metric(UP) == NODES));
  }

  /** Clients of each node. */
  List<Integer> connections() {
    return nodes.stream().map(node -> node.gateway().connections()).toList();
  }

  /** Has all nodes send their clients away, by one of them, as an operator does. */
  void drain() {
    for (int number = 0; number < NODES; number++) {
      String admin = "http://127.0.0.1:" + adminPorts.get(0);
      String[] command = {"cluster", "drain", name + "-" + number, "--admin", admin};
      assertThat(Sluice.commandLine(NodeStarter::startGateway, new Termination()).execute(command))
          .as(String.join(" ", command))
          .isZero();
    }
  }

  /** Kills all nodes. */
  void end() {
    nodes.forEach(TestNode::close);
    nodes.clear();
  }

  @Override
  public void close() {
    end();
  }
}
