package io.sluice.gateway;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.time.Duration;
import java.util.List;

/** Configurations of nodes that know each other. For any thread. */
final class TestCluster {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String name;
  private final TestBroker broker;
  private final List<Integer> ports;

  /** The name keeps apart tests that run at the same time. */
  TestCluster(String name, TestBroker broker, int nodes) {
    this.name = name;
    this.broker = broker;
    this.ports = FreePorts.some(nodes);
  }

  int port(int node) {
    return ports.get(node);
  }

  /**
   * Returns when it is ready. Nodes are started one after the other: those that start at once find
   * each other by a merge, which takes long.
   */
  static TestNode start(Config config) {
    TestNode node = TestNode.start(config);
    awaitReady(node);
    return node;
  }

  /** Returns when it is, with what others have in use. */
  static void awaitReady(TestNode node) {
    await().atMost(PATIENCE).until(() -> node.admin("/health/ready").statusCode() == 200);
  }

  /** Of a node that clients can be sent to, at an address that says which one it is. */
  Config config(int node) {
    return TestNode.config("artemis", broker.url())
        .with(Settings.NODE_NAME, name + "-" + node)
        .with(Settings.CLUSTER_NAME, name)
        .with(Settings.CLUSTER_HOST, "127.0.0.1")
        .with(Settings.CLUSTER_PORT, port(node))
        .with(Settings.CLUSTER_NODES, ports.stream().map(port -> "127.0.0.1:" + port).toList())
        .with(Settings.CLUSTER_PUBLIC_URL, url(node))
        .with(Settings.BROKER_CANARY_INTERVAL, Duration.ofMillis(100))
        .with(Settings.RESUME_MARGIN, Duration.ofMillis(100))
        .with(Settings.CLUSTER_REPORT, Duration.ofMillis(100));
  }

  String url(int node) {
    return "ws://" + name + "-" + node + ".example/ws";
  }
}
