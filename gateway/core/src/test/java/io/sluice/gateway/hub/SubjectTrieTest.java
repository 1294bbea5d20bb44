package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

final class SubjectTrieTest {
  private static final String[] LEVELS = {"a", "b", "ab", "*"};

  private final SubjectTrie<String> trie = new SubjectTrie<>();

  private void add(String... patterns) {
    for (String pattern : patterns) {
      trie.put(pattern, pattern);
    }
  }

  private List<String> covering(String topic) {
    List<String> found = new ArrayList<>();
    trie.forEachCovering(topic, found::add);
    return found;
  }

  @Test
  void shouldFindTopicsAndPatterns() {
    add("a.b", "a.*", "a.>", "*.b", ">", "*.*", "*", "a", "a.b.>", "a.b.c");
    assertThat(covering("a.b")).containsExactlyInAnyOrder("a.b", "a.*", "a.>", "*.b", ">", "*.*");
    assertThat(covering("a")).containsExactlyInAnyOrder("a", "*", ">");
    assertThat(covering("a.b.c")).containsExactlyInAnyOrder("a.b.c", "a.b.>", "a.>", ">");
    assertThat(covering("a.*")).containsExactlyInAnyOrder("a.*", "a.>", ">", "*.*");
    assertThat(covering("a.>")).containsExactlyInAnyOrder("a.>", ">");
  }

  @Test
  void shouldReplaceAValueAndRemoveOnlyThatValue() {
    assertThat(trie.put("a.*", "1")).isNull();
    assertThat(trie.put("a.*", "2")).isEqualTo("1");
    assertThat(trie.remove("a.*", "1")).isFalse();
    assertThat(trie.remove("a.>", "2")).isFalse();
    assertThat(trie.remove("b.*", "2")).isFalse();
    assertThat(trie.remove("a.*", "2")).isTrue();
    assertThat(trie.isEmpty()).isTrue();
    assertThat(covering("a.b")).isEmpty();
  }

  /** Random changes and searches, compared with a scan of all patterns. */
  @Test
  void shouldFindTheSameValuesAsAScan() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      String pattern = pattern(random);
      if (random.nextInt(3) > 0) {
        String value = String.valueOf(i);
        assertThat(trie.put(pattern, value)).as("seed %d", seed).isEqualTo(all.put(pattern, value));
      } else {
        String value = all.getOrDefault(pattern, "none");
        assertThat(trie.remove(pattern, value))
            .as("seed %d", seed)
            .isEqualTo(all.remove(pattern, value));
      }
      String topic = pattern(random);
      assertThat(covering(topic))
          .as("seed %d, step %d: %s in %s", seed, i, topic, all.keySet())
          .containsExactlyInAnyOrderElementsOf(scan(all, topic));
      if (i % 1_000 == 0) {
        List<String> values = new ArrayList<>();
        trie.forEach(values::add);
        assertThat(values).containsExactlyInAnyOrderElementsOf(all.values());
      }
    }
    all.forEach(trie::remove);
    assertThat(trie.isEmpty()).as("seed %d", seed).isTrue();
  }

  private static List<String> scan(Map<String, String> all, String topic) {
    return all.entrySet().stream()
        .filter(entry -> TopicPattern.covers(entry.getKey(), topic))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static String pattern(Random random) {
    List<String> levels = new ArrayList<>();
    int depth = 1 + random.nextInt(4);
    for (int i = 0; i < depth; i++) {
      levels.add(LEVELS[random.nextInt(LEVELS.length)]);
    }
    if (random.nextInt(4) == 0) {
      levels.set(depth - 1, ">");
    }
    return String.join(".", levels);
  }
}
