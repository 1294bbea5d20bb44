package io.sluice.gateway.testssl;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Report of testssl.sh's results for the documentation. Stateless. */
final class TestsslReport {
  private static final Path RESULTS = Path.of("..", "docs", "security", "results");
  private static final String HEADER = "port,version,medium_or_worse,low\n";

  /** Ports whose output is stored; the others differ little. */
  private static final List<String> SHOWN = List.of("clients, openssl, EC", "admin, EC");

  /** Parts that differ in each run. */
  private static final Pattern PASSING =
      Pattern.compile(
          "^ (Start|Done|Serial|Fingerprints|Certificate Validity) |^ +SHA256 [0-9A-F]{64}");

  private static final Pattern PORT = Pattern.compile("(127\\.0\\.0\\.1):[0-9]+");

  private TestsslReport() {}

  /** Replaces testssl.csv and the outputs of testssl.sh in docs/security/results. */
  static void write(String version, List<TestsslResult> results) throws IOException {
    String rows = results.stream().map(port -> row(version, port)).collect(joining());
    Files.writeString(RESULTS.resolve("testssl.csv"), HEADER + rows);
    for (TestsslResult port : results) {
      if (SHOWN.contains(port.port())) {
        Files.writeString(RESULTS.resolve(fileName(port)), output(port));
      }
    }
  }

  private static String row(String version, TestsslResult port) {
    List<Finding> low = port.findings().stream().filter(f -> f.isNotable() && !f.isBad()).toList();
    return "\"%s\",%s,%s,%s\n".formatted(port.port(), version, names(port.bad()), names(low));
  }

  private static String names(List<Finding> findings) {
    return findings.stream().map(Finding::id).distinct().collect(joining(" "));
  }

  private static String fileName(TestsslResult port) {
    return "testssl-" + port.port().toLowerCase(Locale.ROOT).replace(", ", "-") + ".txt";
  }

  private static String output(TestsslResult port) {
    String lines =
        port.output()
            .lines()
            .takeWhile(line -> !line.matches(" Testing \\d+ ciphers .*"))
            .filter(line -> !PASSING.matcher(line).find())
            .map(line -> PORT.matcher(line).replaceAll("$1:PORT").stripTrailing())
            .collect(joining("\n"));
    return lines.strip() + "\n";
  }
}
