package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that no module has more lines of main code than its budget. */
final class ModuleSizesTest {
  private static final Map<String, Integer> BUDGETS =
      Map.ofEntries(
          Map.entry("wire", 6_100),
          Map.entry("base", 10_600),
          Map.entry("socket", 6_100),
          Map.entry("history", 4_950),
          Map.entry("core", 11_800),
          Map.entry("durable", 1_700),
          Map.entry("auth", 6_000),
          Map.entry("audit", 1_050),
          Map.entry("session", 4_150),
          Map.entry("http-streams", 4_300),
          Map.entry("stomp", 4_050),
          Map.entry("mqtt", 4_900),
          Map.entry("presence", 2_800),
          Map.entry("jms-providers", 7_850),
          Map.entry("source-jms", 7_800),
          Map.entry("source-kafka", 4_300),
          Map.entry("kafka-registry", 2_650),
          Map.entry("source-nats", 3_450),
          Map.entry("queues", 6_700),
          Map.entry("provider-kit", 1_800),
          Map.entry("source-node", 5_250),
          Map.entry("node-queues", 2_400),
          Map.entry("node-multicast", 2_000),
          Map.entry("transport", 7_300),
          Map.entry("cluster", 3_650),
          Map.entry("membership", 2_050),
          Map.entry("admin", 7_300),
          Map.entry("cli-kit", 1_300),
          Map.entry("operator-cli", 4_300),
          Map.entry("demo", 2_450),
          Map.entry("app", 6_000));

  @Test
  void shouldBeWithinItsBudget() {
    Map<String, Long> lines = new TreeMap<>();
    for (Path source : Modules.sources()) {
      lines.put(Modules.name(source), lines(source));
    }
    String table =
        lines.entrySet().stream()
            .map(each -> "%s: %d of %d".formatted(each.getKey(), each.getValue(), budget(each)))
            .collect(Collectors.joining("\n", "lines of main code of modules:\n", ""));
    System.out.println(table);
    assertThat(lines.keySet()).isEqualTo(new TreeMap<>(BUDGETS).keySet());
    assertThat(lines.entrySet()).as(table).allMatch(each -> each.getValue() <= budget(each));
  }

  private static int budget(Map.Entry<String, Long> module) {
    return BUDGETS.getOrDefault(module.getKey(), 0);
  }

  private static long lines(Path source) {
    try (Stream<Path> files = Files.walk(source)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .mapToLong(ModuleSizesTest::linesOf)
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long linesOf(Path file) {
    try (Stream<String> all = Files.lines(file)) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
