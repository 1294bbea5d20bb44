package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class InterestKeyTest {
  /** Number of keys with one hash code. */
  private static final int COLLISIONS = 1 << 12;

  // A hash map orders keys with equal hash codes if they are comparable with their own class.
  @Test
  void shouldBeFoundByOrderAmongKeysOfOneHashCode() {
    assertThat(InterestKey.class.getGenericInterfaces()[0].getTypeName())
        .isEqualTo(Comparable.class.getName() + "<" + InterestKey.class.getName() + ">");
    assertThat(Destination.class.getGenericInterfaces()[0].getTypeName())
        .isEqualTo(Comparable.class.getName() + "<" + Destination.class.getName() + ">");

    Map<InterestKey, Integer> found = new HashMap<>();
    for (int i = 0; i < COLLISIONS; i++) {
      found.put(InterestKey.of(collision(i)), i);
    }
    assertThat(found.keySet().stream().mapToInt(InterestKey::hashCode).distinct()).hasSize(1);
    for (int i = 0; i < COLLISIONS; i++) {
      assertThat(found).containsEntry(InterestKey.of(collision(i)), i);
    }
  }

  private static String collision(int number) {
    StringBuilder topic = new StringBuilder();
    for (int bit = 1; bit < COLLISIONS; bit <<= 1) {
      topic.append((number & bit) == 0 ? "Aa" : "BB");
    }
    return topic.toString();
  }

  @Test
  void shouldHaveAnOrderConsistentWithEquals() {
    List<InterestKey> keys =
        List.of(
            InterestKey.of("a"),
            new InterestKey("a", ""),
            new InterestKey("a", "x = 1"),
            InterestKey.of("b"));
    List<Destination> names =
        List.of(Destination.topic("a"), Destination.queue("a"), Destination.topic("b"));

    assertThat(keys).isSorted().doesNotHaveDuplicates();
    assertThat(names).isSorted().doesNotHaveDuplicates();
    for (InterestKey key : keys) {
      assertThat(keys.stream().filter(other -> other.compareTo(key) == 0)).containsExactly(key);
    }
    for (Destination name : names) {
      assertThat(names.stream().filter(other -> other.compareTo(name) == 0)).containsExactly(name);
    }
  }
}
