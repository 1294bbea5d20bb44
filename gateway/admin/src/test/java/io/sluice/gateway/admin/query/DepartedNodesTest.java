package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

final class DepartedNodesTest {
  private final DepartedNodes nodes = new DepartedNodes();

  @Test
  void shouldNameTheTimeAtWhichANodeLeft() {
    nodes.update(Set.of("gw-1", "gw-2"), 1_000);
    nodes.update(Set.of("gw-1"), 2_000);
    nodes.update(Set.of("gw-1"), 3_000);

    assertThat(nodes.problem("gw-1")).isNull();
    assertThat(nodes.problem("gw-2"))
        .isEqualTo("node gw-2 left the cluster at 1970-01-01T00:00:02Z");
    assertThat(nodes.problem("gw-3")).isEqualTo("node gw-3 is not in the cluster");
  }

  @Test
  void shouldForgetANodeThatReturns() {
    nodes.update(Set.of("gw-1", "gw-2"), 1_000);
    nodes.update(Set.of("gw-1"), 2_000);
    nodes.update(Set.of("gw-1", "gw-2"), 3_000);

    assertThat(nodes.problem("gw-2")).isNull();
  }

  @Test
  void shouldForgetTheOldestNodeAtTheLimit() {
    for (int i = 0; i <= DepartedNodes.MAX_NODES; i++) {
      nodes.update(Set.of("gw-" + i), i);
      nodes.update(Set.of(), i);
    }

    assertThat(nodes.problem("gw-0")).isEqualTo("node gw-0 is not in the cluster");
    assertThat(nodes.problem("gw-1")).startsWith("node gw-1 left the cluster at ");
  }
}
