package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the names of the repository's main classes are unique. */
final class ClassNamesTest {
  private static final Path MAIN = Path.of("src", "main", "java");
  private static final List<Path> MODULES =
      List.of(
          Path.of("embedded-broker"),
          Path.of("image"),
          Path.of("..", "loadtest"),
          Path.of("..", "loadtest", "gatling"));

  @Test
  void shouldBeUnique() throws IOException {
    Map<String, List<Path>> byName = new TreeMap<>();
    List<Path> sources =
        Stream.concat(
                Modules.sources().stream(), MODULES.stream().map(module -> module.resolve(MAIN)))
            .toList();
    for (Path source : sources) {
      try (Stream<Path> files = Files.walk(source)) {
        byName.putAll(
            Stream.concat(
                    byName.values().stream().flatMap(List::stream),
                    files.filter(file -> file.toString().endsWith(".java")))
                .collect(Collectors.groupingBy(file -> file.getFileName().toString())));
      }
    }
    assertThat(byName).hasSizeGreaterThan(500);
    byName.remove("package-info.java");
    byName.values().removeIf(files -> files.size() == 1);
    assertThat(byName).isEmpty();
  }
}
