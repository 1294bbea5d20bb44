package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FairQueueTest {
  private final FairQueue<String> queue = new FairQueue<>();

  private List<String> pollAll() {
    List<String> polled = new ArrayList<>();
    for (String next = queue.poll(); next != null; next = queue.poll()) {
      polled.add(next);
    }
    return polled;
  }

  @Test
  void shouldServeUsersInTurnAndEachInOrder() {
    List.of("a1", "a2", "a3", "b1", "c1", "b2")
        .forEach(each -> queue.add(each.substring(0, 1), each));

    assertThat(queue.size()).isEqualTo(6);
    assertThat(queue.peek()).isEqualTo("a1");
    assertThat(pollAll()).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void shouldServeGroupsInTurnAndTheUsersOfEach() {
    List.of("x1", "x2", "y1", "z1").forEach(each -> queue.add(leaf(each), "leaf " + each));
    List.of("a1", "a2", "a3").forEach(each -> queue.add("a", each));

    assertThat(queue.size()).isEqualTo(7);
    assertThat(queue.peek()).isEqualTo("leaf x1");
    assertThat(pollAll())
        .containsExactly("leaf x1", "a1", "leaf y1", "a2", "leaf z1", "a3", "leaf x2");
  }

  private static String leaf(String item) {
    return UserKey.of("leaf", item.substring(0, 1));
  }

  @Test
  void shouldPassOverAGroupWithoutAShare() {
    List.of("x1", "y1", "z1").forEach(each -> queue.add(leaf(each), each));
    queue.add("a", "a1");
    Shares shares = new Shares(3);

    assertThat(queue.poll(shares, any -> true)).isEqualTo("x1");
    assertThat(queue.poll(shares, any -> true)).isEqualTo("a1");
    assertThat(queue.poll(shares, any -> true)).as("the last unit is for others").isNull();
    shares.release(leaf("x1"), 1);
    assertThat(queue.poll(shares, item -> item.equals("z1"))).isEqualTo("z1");
    List<String> removed = new ArrayList<>();
    queue.removeIf(any -> true, removed::add);
    assertThat(removed).containsExactly("y1");
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void shouldPassOverUsersWithoutAShareAndItemsThatMustWait() {
    List.of("a1", "a2", "b1", "b2").forEach(each -> queue.add(each.substring(0, 1), each));
    Shares shares = new Shares(3);

    assertThat(queue.poll(shares, any -> true)).isEqualTo("a1");
    assertThat(queue.poll(shares, item -> !item.equals("b1"))).isEqualTo("b2");
    assertThat(queue.poll(shares, any -> true)).as("the last unit is for others").isNull();
    assertThat(shares.used()).isEqualTo(2);
    shares.release("a", 1);
    assertThat(queue.poll(shares, any -> true)).isEqualTo("a2");
    assertThat(pollAll()).containsExactly("b1");
  }

  @Test
  void shouldRemoveItems() {
    List.of("a1", "a9", "a2", "b1").forEach(each -> queue.add(each.substring(0, 1), each));
    List<String> removed = new ArrayList<>();

    queue.removeIf(each -> !each.endsWith("9"), removed::add);

    assertThat(removed).containsExactly("a1", "a2", "b1");
    assertThat(queue.size()).isEqualTo(1);
    assertThat(pollAll()).containsExactly("a9");
  }
}
