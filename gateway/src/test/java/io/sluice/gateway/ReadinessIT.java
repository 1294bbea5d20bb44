package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readiness of nodes that have lost the broker. */
@Timeout(300)
final class ReadinessIT {
  private static final Duration LONG = Duration.ofMinutes(2);

  private static Config tolerant(Config config) {
    return config.with(
        AdminSettings.READY_WITHOUT_BROKER, AdminSettings.READY_WITHOUT_BROKER.defaultValue());
  }

  private static int readiness(TestNode node) {
    return node.admin("/health/ready").statusCode();
  }

  @Test
  void shouldNotBeReadyBeforeItHasHadItsBroker() {
    try (TestNode node =
        TestNode.start(tolerant(TestNode.config("artemis", "tcp://127.0.0.1:1")))) {
      await()
          .atMost(LONG)
          .until(() -> node.metric("sluice_broker_reconnect_attempts_total{source=\"jms\"}") > 2);
      assertThat(readiness(node)).isEqualTo(503);
    }
  }

  @Test
  void shouldStayReadyWithoutTheBrokerIfNoOtherNodeHasIt() throws Exception {
    TestBroker broker = ArtemisProcess.start();
    try (broker;
        TestNode node = TestNode.start(tolerant(TestNode.config("artemis", broker.url())));
        TestNode strict = TestNode.start(TestNode.config("artemis", broker.url()))) {
      node.awaitReady();
      strict.awaitReady();

      broker.kill();

      await().atMost(LONG).until(() -> readiness(strict) == 503);
      await().atMost(LONG).until(() -> node.metric("sluice_broker_connected{source=\"jms\"}") == 0);
      assertThat(readiness(node)).isEqualTo(200);
      try (RawWebSocket client = node.json()) {
        client.text("{\"type\":\"connect\"}");
        client.await("hello");
      }
    }
  }

  @Tag("full")
  @Test
  void shouldNotBeReadyWhileOnlyAnotherNodeHasTheBroker() throws Exception {
    TestBroker broker = ArtemisProcess.start();
    try (broker;
        HalfOpenLink link = new HalfOpenLink(broker.url())) {
      TestCluster cluster = new TestCluster("readiness", broker, 2);
      Config cut = cluster.config(1).with(BrokerSettings.URL, link.url());
      try (TestNode first = TestCluster.start(tolerant(cluster.config(0)));
          TestNode second = TestCluster.start(tolerant(cut))) {
        await().atMost(LONG).until(() -> second.metric("sluice_cluster_nodes{state=\"up\"}") == 2);

        link.cut();

        await().atMost(LONG).until(() -> readiness(second) == 503);
        await().atMost(LONG).until(() -> readiness(first) == 200);

        broker.kill();

        await().atMost(LONG).until(() -> readiness(first) == 200 && readiness(second) == 200);
      }
    }
  }
}
