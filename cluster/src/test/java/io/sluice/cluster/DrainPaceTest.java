package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DrainPaceTest {
  private static final DrainPace PACE = new DrainPace(100);
  private static final DrainPace.Allotment BEGUN = new DrainPace.Allotment(true, 0, 0);

  private static Node draining(String id, long sinceMs, int movable) {
    Load load = new Load(movable, movable, 0, 0, 0);
    return new Node(id, 1, "", "", "", NodeState.DRAINING, sinceMs, load);
  }

  @Test
  void shouldGrantNoClientInTheFirstInterval() {
    Node node = draining("a", 1, 1_000);
    DrainPace.Allotment first = PACE.next(DrainPace.Allotment.INITIAL, node, List.of(node), 1_000);
    assertThat(first.clients()).isZero();
    assertThat(PACE.next(first, node, List.of(node), 1_000).clients()).isEqualTo(100);
  }

  @Test
  void shouldGrantTheWholeRateToTheFirstNodeAndTheRestToTheNext() {
    Node first = draining("b", 1, 60);
    Node second = draining("a", 2, 1_000);
    Node third = draining("c", 2, 1_000);
    List<Node> all = List.of(second, first, third);
    assertThat(PACE.next(BEGUN, first, all, 1_000).clients()).isEqualTo(60);
    assertThat(PACE.next(BEGUN, second, all, 1_000).clients()).isEqualTo(40);
    assertThat(PACE.next(BEGUN, third, all, 1_000).clients()).isZero();
  }

  @Test
  void shouldCarryFractionsOfAMoveOver() {
    Node node = draining("a", 1, 1_000);
    DrainPace.Allotment allotment = BEGUN;
    int clients = 0;
    for (int i = 0; i < 1_000; i++) {
      allotment = PACE.next(allotment, node, List.of(node), 15);
      clients += allotment.clients();
    }
    assertThat(clients).isEqualTo(1_500);
  }

  @Test
  void shouldForecastTheDuration() {
    Node other = draining("a", 1, 500);
    Node up = new Node("b", 1, "", "", "", NodeState.UP, 0, new Load(250, 250, 0, 0, 0));
    assertThat(PACE.forecastMs(up, List.of(other, up))).isEqualTo(7_500);
  }
}
