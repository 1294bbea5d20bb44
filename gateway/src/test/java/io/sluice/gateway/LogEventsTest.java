package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/operations/logs.md lists the events that the code logs, all of them and no others. */
final class LogEventsTest {
  private static final Pattern LOGGED = Pattern.compile("\\.log\\(\\s*\"([a-z]+\\.[a-z-]+)\"");
  private static final Pattern LISTED = Pattern.compile("`([a-z]+\\.[a-z-]+)`");

  @Test
  void shouldListEveryEvent() throws IOException {
    assertThat(logged()).isNotEmpty().isEqualTo(listed());
  }

  private static Set<String> logged() throws IOException {
    Set<String> events = new TreeSet<>();
    for (Path source : Modules.sources()) {
      try (Stream<Path> files = Files.walk(source)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          collect(LOGGED, Files.readString(file), events);
        }
      }
    }
    return events;
  }

  private static Set<String> listed() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "operations", "logs.md"));
    Set<String> events = new TreeSet<>();
    page.lines()
        .filter(line -> line.startsWith("- `"))
        .forEach(line -> collect(LISTED, line.substring(0, line.indexOf(")")), events));
    return events;
  }

  private static void collect(Pattern pattern, String text, Set<String> into) {
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      into.add(matcher.group(1));
    }
  }
}
