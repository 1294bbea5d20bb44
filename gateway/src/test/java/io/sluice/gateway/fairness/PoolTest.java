package io.sluice.gateway.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the pools of {@link FairnessIT} with the list of threads. */
final class PoolTest {
  private static final Path PAGE = Path.of("..", "docs", "ARCHITECTURE.md");
  private static final Pattern NAME = Pattern.compile("`(sluice-[a-z-]+)…?`");

  /** Ways to share in which a user may overload the thread. */
  private static final Set<String> OVERLOADED = Set.of("turns", "shares");

  private static final Set<String> OTHERS = Set.of("topics", "rates", "");

  /** Threads, and how users share them; the second group is null if they do not. */
  private static final Pattern ROW = Pattern.compile("- (`?\\w.*?)(?: \\((\\w+)\\))?: .*");

  private static List<MatchResult> rows() throws IOException {
    String section = Files.readString(PAGE).split("## Threads")[1].split("\n## ")[0];
    return section
        .lines()
        .map(ROW::matcher)
        .filter(Matcher::matches)
        .map(Matcher::toMatchResult)
        .toList();
  }

  @Test
  void shouldOverloadAllThreadsThatUsersShare() throws IOException {
    Collection<String> shared = new TreeSet<>();
    Collection<String> all = new TreeSet<>();
    for (MatchResult row : rows()) {
      String users = row.group(2) == null ? "" : row.group(2);
      assertThat(Stream.of(OVERLOADED, OTHERS).flatMap(Set::stream))
          .as("%s", row.group())
          .contains(users);
      Set<String> names =
          NAME.matcher(row.group(1))
              .results()
              .map(name -> name.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      all.addAll(names);
      if (OVERLOADED.contains(users)) {
        shared.addAll(names);
      }
    }
    Collection<String> overloaded = new TreeSet<>();
    Stream.of(Pool.values()).forEach(pool -> overloaded.addAll(pool.threads()));
    // No node of FairnessIT has Kafka or NATS: KafkaPublishTest, NatsThreadsTest.
    shared.removeAll(Set.of("sluice-kafka-publish", "sluice-nats-open"));
    assertThat(shared).hasSizeGreaterThan(10);
    assertThat(overloaded).containsAll(shared);
    assertThat(all).as("threads in " + PAGE).containsAll(overloaded);
  }
}
