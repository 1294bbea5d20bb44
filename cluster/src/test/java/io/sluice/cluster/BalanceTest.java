package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class BalanceTest {
  private static Node node(String id, NodeState state, long sinceMs, int movable) {
    return new Node(id, 1, "", "", "", state, sinceMs, new Load(movable, movable, 0, 0, 0));
  }

  @Test
  void shouldDrainNodesInTheOrderOfTheirStart() {
    Node first = node("b", NodeState.DRAINING, 1, 60);
    Node second = node("a", NodeState.DRAINING, 2, 1_000);
    Node third = node("c", NodeState.DRAINING, 2, 1_000);
    List<Node> all = List.of(second, node("d", NodeState.UP, 0, 500), first, third);

    assertThat(Balance.drainedBefore(first, all)).isZero();
    assertThat(Balance.drainedBefore(second, all)).isEqualTo(60);
    assertThat(Balance.drainedBefore(third, all)).isEqualTo(1_060);
  }

  @Test
  void shouldCountAllDrainingNodesBeforeItsOwnDrain() {
    Node up = node("b", NodeState.UP, 0, 250);
    assertThat(Balance.drainedBefore(up, List.of(node("a", NodeState.DRAINING, 1, 500), up)))
        .isEqualTo(500);
  }
}
