package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes of a cluster as an operator sees and commands them. */
final class ClusterOperatorIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String ADMIN = "http://127.0.0.1:1";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static TestNode start(Config config) {
    return TestCluster.start(config.with(ClusterSettings.ADMIN_URL, ADMIN));
  }

  private static JsonNode list(TestNode node) throws IOException {
    return JSON.readTree(node.admin("/cluster").body());
  }

  private static String states(TestNode node) throws IOException {
    return String.join(" ", list(node).get("nodes").findValuesAsText("state"));
  }

  @Tag("full")
  @Test
  void shouldShowAllNodesAndDrainOneWithoutEndingIt() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("shown", broker, 2);
      Config slow = cluster.config(0).with(TimeoutSettings.DRAIN, Duration.ofMinutes(10));
      try (TestNode first = start(slow);
          TestNode second = start(cluster.config(1));
          RawWebSocket client = first.json()) {
        client.subscribe(1, "shown");
        await().atMost(LONG).until(() -> states(first).equals("up up"));
        await().atMost(LONG).until(() -> states(second).equals("up up"));
        await().atMost(LONG).until(() -> list(second).at("/nodes/0/load/connections").asInt() == 1);
        JsonNode shown = list(second);
        assertThat(shown.get("cluster").asText()).isEqualTo("shown");
        assertThat(shown.get("node").asText()).isEqualTo("shown-1");
        assertThat(shown.at("/nodes/0/name").asText()).isEqualTo("shown-0");
        assertThat(shown.at("/nodes/0/public-url").asText()).isEqualTo(cluster.url(0));
        assertThat(shown.at("/nodes/0/admin-url").asText()).isEqualTo(ADMIN);

        assertThat(first.command("/drain").statusCode()).isEqualTo(202);

        assertThat(client.await("draining").get("url").asText()).isEqualTo(cluster.url(1));
        await().atMost(LONG).until(() -> states(second).equals("draining up"));
        client.sendClose(1000, "");
        await().atMost(LONG).until(() -> first.gateway().connections() == 0);
        assertThat(first.admin("/health/live").statusCode()).isEqualTo(200);
        assertThat(states(first)).isEqualTo("draining up");
        first.gateway().drainAndStop();
        await().atMost(LONG).until(() -> states(second).equals("up"));
      }
    }
  }

  @Test
  void shouldReportThatThereIsNothingToMove() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node = start(new TestCluster("even", broker, 1).config(0))) {
      HttpResponse<String> answer = node.command("/rebalance");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(JSON.readTree(answer.body()).get("moves").asInt()).isZero();
    }
  }
}
