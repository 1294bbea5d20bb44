package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.cli.Sluice;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.Loopback;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Presence at two nodes, of which one is a process that is killed. */
final class PresenceClusterIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int CLIENTS = 500;
  private static final int MEMBERS = 2_000;
  private static final String ROOM = "room.1";

  @TempDir Path folder;

  private static String presence(String members) {
    return "{\"type\":\"presence\",\"ref\":7,\"topic\":\"" + ROOM + "\"" + members + "}";
  }

  private NodeProcess startProcess(TestCluster cluster, TestBroker broker) {
    String settings =
        """
        node.name: killed
        broker.provider: %s
        broker.url: "%s"
        cluster.name: crowd
        cluster.host: 127.0.0.1
        cluster.port: %d
        cluster.nodes: ["127.0.0.1:%d", "127.0.0.1:%d"]
        topics.presence: ["room.*"]
        topics.presence-grace: 1s
        limits.presence-members: %d
        limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0}
        """
            .formatted(
                broker.provider(),
                broker.url(),
                cluster.port(1),
                cluster.port(0),
                cluster.port(1),
                MEMBERS);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = System.getProperty("java.class.path");
    return NodeProcess.start(
        List.of(),
        Loopback.address(),
        new NodeProcess.Ports(0, 0),
        folder,
        settings,
        List.of(java, "-cp", classPath, Sluice.class.getName()));
  }

  /** Returns the frame in which the watched count has reached a number. */
  private static JsonNode awaitCount(RawWebSocket watcher, int count) {
    JsonNode frame = watcher.await("present");
    while (frame.get("count").asInt() != count) {
      frame = watcher.await("present");
    }
    return frame;
  }

  @Tag("full")
  @Test
  void shouldCountTheClientsOfBothNodesAndSurviveTheLossOfOne() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("crowd", broker, 2);
      try (TestNode first =
              TestCluster.start(
                  TestNode.unlimited(cluster.config(0))
                      .with(TopicSettings.PRESENCE_TOPICS, List.of("room.*"))
                      .with(TopicSettings.PRESENCE_GRACE, Duration.ofSeconds(1))
                      .with(LimitSettings.PRESENCE_MEMBERS, MEMBERS));
          NodeProcess second = startProcess(cluster, broker);
          RawWebSocket watcher = first.json();
          RawWebSocket there =
              RawWebSocket.to(second.host(), second.port(), "/ws").timeout(LONG).open()) {
        await().atMost(LONG).until(() -> first.metric("sluice_cluster_nodes{state=\"up\"}") == 2);
        watcher.text(presence(",\"watch\":true"));
        there.text(presence(",\"watch\":true,\"members\":true"));
        List<RawWebSocket> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(first.json());
          clients.add(RawWebSocket.to(second.host(), second.port(), "/ws").open());
        }
        for (int i = 0; i < clients.size(); i++) {
          clients.get(i).text(presence(",\"enter\":true,\"key\":\"" + i + "\""));
        }
        assertThat(awaitCount(watcher, 2 * CLIENTS).has("partial")).isFalse();
        awaitCount(there, 2 * CLIENTS);
        there.text(presence(",\"members\":true"));
        JsonNode state = there.await("present");
        while (!state.has("members")) {
          state = there.await("present");
        }
        assertThat(state.get("members")).hasSize(2 * CLIENTS);
        second.kill();
        assertThat(awaitCount(watcher, CLIENTS).get("partial").asBoolean()).isTrue();
        RawWebSocket moved = first.json();
        moved.text(presence(",\"enter\":true,\"key\":\"1\"")); // a client of the killed node
        assertThat(awaitCount(watcher, CLIENTS + 1).get("partial").asBoolean()).isTrue();
        moved.close();
        clients.forEach(RawWebSocket::close);
      }
    }
  }
}
