package io.sluice.gateway.testssl;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Report of testssl.sh's results for the documentation. Stateless. */
final class TestsslReport {
  private static final Path DOC = Path.of("..", "docs", "security", "testssl.md");
  private static final String BEGIN = "<!-- findings: written by the suite -->\n";
  private static final String END = "<!-- findings end -->";

  /** Those whose whole output is kept; the others' differs little. */
  private static final List<String> SHOWN = List.of("clients, openssl, EC", "admin, EC");

  /** Parts that differ in each run. */
  private static final Pattern PASSING =
      Pattern.compile(
          "^ (Start|Done|Serial|Fingerprints|Certificate Validity) |^ +SHA256 [0-9A-F]{64}");

  private static final Pattern PORT = Pattern.compile("(127\\.0\\.0\\.1):[0-9]+");

  private TestsslReport() {}

  /** Replaces the report in docs/security/testssl.md. */
  static void write(String version, List<Judged> judged) throws IOException {
    String doc = Files.readString(DOC);
    int begin = doc.indexOf(BEGIN) + BEGIN.length();
    String text = text(version, judged);
    Files.writeString(DOC, doc.substring(0, begin) + text + doc.substring(doc.indexOf(END)));
  }

  private static String text(String version, List<Judged> judged) {
    StringBuilder text = new StringBuilder("By testssl.sh " + version + ":\n\n");
    text.append("| port, engine, key | worse than low | low |\n|---|---|---|\n");
    judged.forEach(port -> text.append(row(port)));
    judged.stream()
        .filter(port -> SHOWN.contains(port.port()))
        .forEach(p -> text.append(output(p)));
    return text.toString();
  }

  private static String row(Judged port) {
    List<Finding> low = port.findings().stream().filter(f -> f.isNotable() && !f.isBad()).toList();
    return "| %s | %s | %s |%n".formatted(port.port(), names(port.bad()), names(low));
  }

  private static String names(List<Finding> findings) {
    return findings.isEmpty()
        ? "–"
        : findings.stream().map(f -> "`" + f.id() + "`").distinct().collect(joining(", "));
  }

  private static String output(Judged port) {
    String lines =
        port.output()
            .lines()
            .takeWhile(line -> !line.matches(" Testing \\d+ ciphers .*"))
            .filter(line -> !PASSING.matcher(line).find())
            .map(line -> PORT.matcher(line).replaceAll("$1:PORT").stripTrailing())
            .collect(joining("\n"));
    return "\n### Output: " + port.port() + "\n\n```\n" + lines.strip() + "\n```\n";
  }
}
