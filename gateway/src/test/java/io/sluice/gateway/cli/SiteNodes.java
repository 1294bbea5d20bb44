package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.FreePorts;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The nodes of a site, which know each other and no others. Bound to the test's thread. */
final class SiteNodes implements AutoCloseable {
  /** {@code resume.margin} of the nodes. */
  static final long MARGIN_MS = 500;

  private static final int NODES = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
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
        .with(Settings.NODE_NAME, name + "-" + number)
        .with(Settings.SERVER_PORT, ports.get(number))
        .with(Settings.ADMIN_PORT, adminPorts.get(number))
        .with(Settings.CLUSTER_NAME, name)
        .with(Settings.CLUSTER_HOST, "127.0.0.1")
        .with(Settings.CLUSTER_PORT, peerPorts.get(number))
        .with(Settings.CLUSTER_NODES, peerPorts.stream().map(port -> "127.0.0.1:" + port).toList())
        .with(Settings.CLUSTER_PUBLIC_URL, "ws://" + address(number) + "/ws")
        .with(Settings.CLUSTER_ADMIN_URL, "http://127.0.0.1:" + adminPorts.get(number))
        .with(Settings.CLUSTER_REPORT, Duration.ofMillis(100))
        .with(Settings.DRAIN_RATE, drainRate)
        .with(Settings.TIMEOUT_DRAIN, PATIENCE)
        .with(Settings.BROKER_SITE, name)
        .with(Settings.BROKER_CANARY_INTERVAL, Duration.ofMillis(200))
        .with(Settings.HISTORY_WARM, List.of("sites.>"))
        .with(Settings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
        .with(Settings.TIMEOUT_PING, Duration.ofMillis(500));
  }

  private String address(int number) {
    return "127.0.0.1:" + ports.get(number);
  }

  /** Where its nodes are, host:port each, beginning with one of them. */
  String addresses(int first) {
    return IntStream.range(0, NODES)
        .mapToObj(i -> address((first + i) % NODES))
        .collect(Collectors.joining(","));
  }

  /** Starts all of them, where they were if they have run before. */
  void start() {
    IntStream.range(0, NODES).forEach(number -> nodes.add(TestNode.start(config(number))));
  }

  /** Returns when all take clients and know that of each other. */
  void awaitUp() {
    await(name + " is up")
        .atMost(PATIENCE)
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
      assertThat(Sluice.commandLine(Node::startGateway, new Termination()).execute(command))
          .as(String.join(" ", command))
          .isZero();
    }
  }

  /** Ends all of them; clients that are there hear no farewell. */
  void end() {
    nodes.forEach(TestNode::close);
    nodes.clear();
  }

  @Override
  public void close() {
    end();
  }
}
