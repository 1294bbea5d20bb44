package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Findings as tables in Markdown. Stateless. */
final class FindingsText {
  private static final Path DOC = Path.of("..", "docs", "BENCHMARKS.md");
  private static final String BEGIN = "<!-- hosts: written by the scenario -->\n";
  private static final String END = "<!-- hosts end -->";

  private FindingsText() {}

  static String of(Findings findings) {
    StringBuilder text = new StringBuilder();
    text.append(
        "| step | until all is well, s | until nodes are even, s | lost | twice | gaps told | broken | moved before");
    text.append(
        " they broke | asked to move | sent elsewhere | longest silence, s | most connects a second |");
    text.append(" clients of each node |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    findings.steps().forEach(step -> text.append(line(step)));
    text.append("\n| nodes | clients | frames a second | CPU a frame, µs | to one node |");
    text.append(" connections to the broker |\n|---|---|---|---|---|---|\n");
    findings.scale().forEach(result -> text.append(line(findings, result)));
    text.append(between(findings));
    return text.toString();
  }

  private static String line(StepResult step) {
    Sightings seen = step.sightings();
    return format(
        "| %s | %.1f | %.1f | %d | %d | %d | %d | %d | %d | %d | %.1f | %.0f | %s |%n",
        step.name(),
        step.seconds(),
        step.evenSeconds(),
        seen.lost(),
        seen.doubled(),
        seen.told(),
        seen.broken(),
        seen.moved(),
        seen.shed(),
        seen.redirected(),
        seen.silenceMs() / 1e3,
        step.connects(),
        spread(step.spread()));
  }

  private static String spread(List<Integer> clients) {
    return clients.stream()
        .map(count -> count < 0 ? "–" : String.valueOf(count))
        .collect(Collectors.joining(" · "));
  }

  private static String line(Findings findings, ScaleResult result) {
    return format(
        "| %d | %d | %.0f | %.1f | %.2f | %d |%n",
        result.nodes(),
        result.clients(),
        result.framesPerSecond(),
        result.cpuMicros(),
        findings.ratio(result),
        result.brokerConnections());
  }

  private static String between(Findings findings) {
    int seconds = findings.plan().measureS();
    return format(
        "%nWhile nothing happened, three nodes sent each other %d bytes in %d packets in %d s.%n",
        findings.traffic().bytes(), findings.traffic().packets(), seconds);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Puts the tables in the place of those in docs/BENCHMARKS.md. */
  static void writeDoc(String tables) throws IOException {
    String doc = Files.readString(DOC);
    int begin = doc.indexOf(BEGIN) + BEGIN.length();
    Files.writeString(DOC, doc.substring(0, begin) + tables + doc.substring(doc.indexOf(END)));
  }
}
