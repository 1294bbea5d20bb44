package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Presence at a cluster of two roots, each of which has a leaf. */
@Tag("full") // seldom, a root keeps the member of a leaf that has stopped
@Timeout(300)
final class PresenceOverLinksIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String ROOM = "room.1";
  private static final List<String> GRANTED = List.of("presence:room.>");

  private static Config presence(Config config) {
    return config
        .with(TopicSettings.PRESENCE_TOPICS, List.of("room.>", "private"))
        .with(TopicSettings.PRESENCE_GRACE, Duration.ofSeconds(1));
  }

  private static TestNode root(TestCluster cluster, int node) {
    return TestCluster.start(
        presence(cluster.config(node))
            .with(LinkSettings.PORT, 0)
            .with(LinkSettings.SUBSCRIBE, GRANTED)
            .with(LinkSettings.PUBLISH, GRANTED));
  }

  private static Switchboard network(TestNode root) {
    Switchboard network = new Switchboard();
    network.add("127.0.0.1", root.gateway().linkPort());
    return network;
  }

  private static TestNode leaf(String name, Switchboard network) {
    TestNode leaf =
        TestNode.start(
            presence(TestNode.config("artemis", ""))
                .with(AdminSettings.NODE_NAME, name)
                .with(LinkSettings.ROOTS, List.of("ws://" + network.address())));
    leaf.awaitReady();
    return leaf;
  }

  private static RawWebSocket member(TestNode node, String topic, String key) {
    RawWebSocket client = node.json();
    client.text(
        """
        {"type":"presence","ref":7,"topic":"%s","enter":true,"watch":true,"key":"0123456789-%s"}"""
            .formatted(topic, key));
    return client;
  }

  /** Reads frames up to one with a number of members, all of which are known or not. */
  private static void awaitCount(RawWebSocket client, int count, boolean partial) {
    JsonNode frame = client.await("present");
    while (frame.get("count").asInt() != count || frame.has("partial") != partial) {
      frame = client.await("present");
    }
  }

  private static void awaitCount(RawWebSocket client, int count) {
    while (client.await("present").get("count").asInt() != count) {
      // the next frame
    }
  }

  @Test
  void shouldHaveOneListAtRootsAndLeaves() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("presence-links", broker, 2);
      List<RawWebSocket> members = new ArrayList<>();
      List<TestNode> nodes = new ArrayList<>();
      try (TestNode first = root(cluster, 0);
          TestNode second = root(cluster, 1);
          Switchboard firstLink = network(first);
          Switchboard secondLink = network(second);
          TestNode near = leaf("near", firstLink)) {
        TestNode far = leaf("far", secondLink);
        nodes.add(far);
        await().atMost(LONG).until(() -> first.metric("sluice_cluster_nodes{state=\"up\"}") == 2);
        for (TestNode each : List.of(first, second, near, far)) {
          members.add(member(each, ROOM, "" + members.size()));
        }
        for (RawWebSocket each : members) {
          awaitCount(each, 4, false);
        }
        firstLink.removeAll();
        firstLink.cut();
        awaitCount(members.get(0), 3, true); // after the grace time
        awaitCount(members.get(1), 3, false);
        awaitCount(members.get(2), 1, true);
        awaitCount(members.get(3), 3, false);
        firstLink.add("127.0.0.1", second.gateway().linkPort());
        for (RawWebSocket each : members) {
          awaitCount(each, 4, false);
        }
        try (RawWebSocket here = member(near, "private", "a");
            RawWebSocket there = member(first, "private", "b")) {
          assertThat(here.await("present").get("count").asInt()).isEqualTo(1);
          assertThat(there.await("present").get("count").asInt()).isEqualTo(1);
        }
        far.close(); // the list is partial if the report of its members is late
        awaitCount(members.get(0), 3);
        awaitCount(members.get(2), 3);
      } finally {
        members.forEach(RawWebSocket::close);
        nodes.forEach(TestNode::close);
      }
    }
  }
}
