package io.sluice.gateway.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the pools of {@link FairnessIT} with the table of threads. */
final class PoolTest {
  private static final Path PAGE = Path.of("..", "docs", "ARCHITECTURE.md");
  private static final Pattern NAME = Pattern.compile("`(sluice-[a-z-]+)…?`");

  /** Values of the column about users. */
  private static final Set<String> OVERLOADED = Set.of("turns", "shares");

  private static final Set<String> OTHERS = Set.of("topics", "rates", "–");

  private static List<List<String>> rows() throws IOException {
    String table = Files.readString(PAGE).split("## Threads")[1].split("\n- ")[0];
    return table
        .lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| thread |"))
        .map(line -> Stream.of(line.split("\\|")).map(String::strip).toList())
        .toList();
  }

  @Test
  void shouldOverloadAllThreadsThatUsersShare() throws IOException {
    Collection<String> shared = new TreeSet<>();
    Collection<String> all = new TreeSet<>();
    for (List<String> row : rows()) {
      String users = row.get(2);
      assertThat(Stream.of(OVERLOADED, OTHERS).flatMap(Set::stream)).as("%s", row).contains(users);
      Set<String> names =
          NAME.matcher(row.get(1))
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
    assertThat(overloaded).containsAll(shared);
    assertThat(all).as("threads in " + PAGE).containsAll(overloaded);
  }
}
