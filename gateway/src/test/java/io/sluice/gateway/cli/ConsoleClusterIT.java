package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Console of a cluster of two real nodes in a real browser. */
@Tag("full")
@Timeout(300)
final class ConsoleClusterIT {
  private static final String TOKEN = "0123456789abcdef";

  private final List<Integer> ports = FreePorts.some(2);

  @Test
  void shouldTraceAndDisconnectClientsOfTheOtherNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("shown", broker, 2);
      try (TestNode first = TestCluster.start(config(cluster, 0));
          TestNode second = TestCluster.start(config(cluster, 1));
          RawWebSocket here = first.json();
          RawWebSocket there = second.json()) {
        here.subscribe(1, "both");
        there.subscribe(1, "both");
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> first.admin("/clients").body().contains("\"total\":2"));
        assertThat(script(first, () -> there.subscribe(2, "more").toString()))
            .containsExactly("NODES: 2", "SUBSCRIBE", "DISCONNECTED");
        assertThat(there.awaitClose()).isEqualTo(4004);
      }
    }
  }

  private Config config(TestCluster cluster, int node) {
    return cluster
        .config(node)
        .with(AdminSettings.TOKEN, TOKEN)
        .with(AdminSettings.PORT, ports.get(node))
        .with(ClusterSettings.ADMIN_URL, "http://127.0.0.1:" + ports.get(node));
  }

  private static List<String> script(TestNode first, Callable<String> subscribing)
      throws Exception {
    String url = "http://127.0.0.1:" + first.gateway().adminPort();
    return BrowserScript.run(
        "../gateway/admin/console/test/real-cluster.mjs",
        Map.of("SUBSCRIBE", subscribing),
        url,
        TOKEN,
        "shown-1");
  }
}
