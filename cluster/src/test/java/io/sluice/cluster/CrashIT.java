package io.sluice.cluster;

import static io.sluice.cluster.Nodes.eventually;
import static io.sluice.cluster.Nodes.ids;
import static io.sluice.cluster.Nodes.seen;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgroups.protocols.DISCARD;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Test of nodes that crash, freeze and return. */
@DisabledOnOs(OS.WINDOWS)
final class CrashIT {
  /** The heartbeat timeout is an hour: the crash is detected by the closed connection. */
  @Test
  void shouldDetectAKilledNodeByItsConnections() throws Exception {
    Stack.Timing patient = new Stack.Timing(300, 3_600_000, 300, 500, 500);
    try (Nodes nodes = new Nodes("kill", 2)) {
      Cluster first =
          nodes.start(
              nodes.config(0, new Seeds.Listed(nodes.addresses()), Nodes.OPEN),
              patient,
              Nodes.node("node-0"),
              () -> List.of());
      try (Child child = Child.start(nodes, 1, "kill")) {
        eventually().until(() -> ids(first).equals(List.of("node-0", "node-1")));
        child.kill();
        eventually().until(() -> ids(first).equals(List.of("node-0")));
      }
    }
  }

  @Test
  void shouldRemoveAFrozenNodeAndReadmitIt() throws Exception {
    try (Nodes nodes = new Nodes("freeze", 3)) {
      Cluster first = nodes.start(0);
      Cluster third = nodes.start(2);
      try (Child child = Child.start(nodes, 1, "freeze")) {
        eventually().until(() -> ids(first).size() == 3 && ids(third).size() == 3);
        child.freeze();
        eventually().until(() -> ids(first).equals(List.of("node-0", "node-2")));
        Load load = new Load(7, 7, 0, 0, 0);
        first.report(load);
        eventually().until(() -> seen(third, "node-0").load().equals(load));
        child.thaw();
        eventually().until(() -> ids(first).size() == 3 && ids(third).size() == 3);
        assertThat(seen(first, "node-1").state()).isEqualTo(NodeState.UP);
      }
    }
  }

  @Test
  void shouldMergeAfterAPartition() throws Exception {
    try (Nodes nodes = new Nodes("split", 2)) {
      JGroupsCluster first = nodes.start(0);
      JGroupsCluster second = nodes.start(1);
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);
      cut(first, true);
      cut(second, true);
      eventually().until(() -> ids(first).size() == 1 && ids(second).size() == 1);
      first.announce(NodeState.UP);
      second.report(new Load(9, 9, 0, 0, 0));
      cut(first, false);
      cut(second, false);
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);
      assertThat(seen(second, "node-0").state()).isEqualTo(NodeState.UP);
      assertThat(seen(first, "node-1").load().connections()).isEqualTo(9);
    }
  }

  /** Discards all network traffic of a node, or ends that. */
  private static void cut(JGroupsCluster node, boolean cut) throws Exception {
    ProtocolStack stack = node.channel().getProtocolStack();
    if (cut) {
      stack.insertProtocol(
          new DISCARD().discardAll(true), ProtocolStack.Position.ABOVE, Stack.Bound.class);
    } else {
      stack.removeProtocol(DISCARD.class);
    }
  }

  /** Uses the default timing of heartbeats and of the search for partitions. */
  @Test
  void shouldSendNoMessagesInASteadyState() throws Exception {
    try (Nodes nodes = new Nodes("idle", 2)) {
      JGroupsCluster first =
          nodes.start(nodes.config(0), Stack.Timing.of(nodes.config(0)), Nodes.node("node-0"));
      JGroupsCluster second =
          nodes.start(nodes.config(1), Stack.Timing.of(nodes.config(1)), Nodes.node("node-1"));
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);
      first.announce(NodeState.UP);
      first.report(new Load(1_000, 1_000, 500, 0.3, 2));
      eventually().until(() -> seen(second, "node-0").load().connections() == 1_000);
      // A node whose view came late requests the topics of the others after a second.
      first.activeTopics(1).toCompletableFuture().get(60, TimeUnit.SECONDS);
      second.activeTopics(1).toCompletableFuture().get(60, TimeUnit.SECONDS);

      ClusterCounts before = first.counts();
      ClusterCounts beforeOther = second.counts();
      long startNs = System.nanoTime();
      for (int i = 0; i < 1_000; i++) {
        first.report(new Load(1_000 + i % 40, 1_000, 500 + i % 20, 0.3 + i % 5 / 100.0, 2));
      }
      eventually().until(() -> System.nanoTime() - startNs > Duration.ofSeconds(12).toNanos());
      assertThat(first.counts().sent()).isEqualTo(before.sent());
      assertThat(second.counts().sent()).isEqualTo(beforeOther.sent());
    }
  }
}
