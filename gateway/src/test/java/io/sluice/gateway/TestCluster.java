package io.sluice.gateway;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;

/** Configurations of the nodes of a cluster. For any thread. */
public final class TestCluster {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final String name;
  private final TestBroker broker;
  private final List<Integer> ports;

  /** The name keeps apart tests that run at the same time. */
  public TestCluster(String name, TestBroker broker, int nodes) {
    this.name = name;
    this.broker = broker;
    this.ports = FreePorts.some(nodes);
  }

  public int port(int node) {
    return ports.get(node);
  }

  /**
   * Returns when it is ready. Nodes are started one after the other: those that start at once find
   * each other by a merge, which takes long.
   */
  public static TestNode start(Config config) {
    TestNode node = TestNode.start(config);
    awaitReady(node);
    return node;
  }

  /** Returns when it is, with what others have in use. */
  public static void awaitReady(TestNode node) {
    await().atMost(TIMEOUT).until(() -> node.admin("/health/ready").statusCode() == 200);
  }

  /** Of a node that clients can be sent to, at an address that says which one it is. */
  public Config config(int node) {
    return TestNode.config("artemis", broker.url())
        .with(AdminSettings.NODE_NAME, name + "-" + node)
        .with(ClusterSettings.NAME, name)
        .with(ClusterSettings.HOST, "127.0.0.1")
        .with(ClusterSettings.PORT, port(node))
        .with(ClusterSettings.NODES, ports.stream().map(port -> "127.0.0.1:" + port).toList())
        .with(ClusterSettings.PUBLIC_URL, url(node))
        .with(ClusterSettings.JOIN_TIMEOUT, joinTimeout(node))
        .with(ClusterSettings.MERGE_INTERVAL, Duration.ofMillis(500))
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(100))
        .with(ClusterSettings.REPORT, Duration.ofMillis(100));
  }

  // The first node finds no other and need not wait. Another one that gave up early on a slow
  // machine
  // would assume an empty cluster.
  private static Duration joinTimeout(int node) {
    return node == 0 ? Duration.ofMillis(500) : ClusterSettings.JOIN_TIMEOUT.defaultValue();
  }

  public String url(int node) {
    return "ws://" + name + "-" + node + ".example/ws";
  }
}
