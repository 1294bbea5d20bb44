package io.sluice.gateway;

import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.time.Duration;
import java.util.List;

/** Configurations of nodes that know each other. For any thread. */
final class TestCluster {
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
