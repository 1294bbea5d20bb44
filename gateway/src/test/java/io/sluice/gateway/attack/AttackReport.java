package io.sluice.gateway.attack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Results as tables in Markdown. Stateless. */
final class AttackReport {
  private static final Path DOC = Path.of("..", "docs", "security", "attacks.md");
  private static final String BEGIN = "<!-- figures: written by the suite -->\n";
  private static final String END = "<!-- figures end -->";

  private AttackReport() {}

  static String text(List<Result> results) {
    StringBuilder text = new StringBuilder();
    text.append("| attack | honest messages | wrong | p50 quiet → attack, ms | p99 quiet →");
    text.append(
        " beginning → attack, ms | p99 ratio | newcomer, ms |\n|---|---|---|---|---|---|---|\n");
    results.forEach(result -> text.append(honest(result)));
    text.append("\n| attack | connections at its end | ended so far by | counted by the node");
    text.append(" | cores | RSS before → most → after, MiB | heap before → after, MiB");
    text.append(" | buffers before → after, MiB |\n|---|---|---|---|---|---|---|---|\n");
    results.forEach(result -> text.append(node(result)));
    text.append(
        "\n| attack | connections held | RSS each, KB | heap each, KB | buffers each, KB |\n");
    text.append("|---|---|---|---|---|\n");
    results.stream().filter(AttackReport::holdsAll).forEach(result -> text.append(each(result)));
    return text.toString();
  }

  // With short connections, the memory of all at one time does not determine that of each.
  private static boolean holdsAll(Result result) {
    return result.held() != null && result.open() == result.attack().full().connections();
  }

  private static String name(Result result) {
    Attack.Load load = result.attack().full();
    String pace =
        result.unpaced()
            ? "unpaced"
            : load.connections() + " at once, " + (int) load.opensPerSecond() + "/s";
    return result.attack().name().toLowerCase(Locale.ROOT).replace('_', '-') + ", " + pace;
  }

  private static String honest(Result r) {
    return format(
        "| %s | %d | %d | %.2f → %.2f | %.2f → %.2f → %.2f | %.2f | %s |%n",
        name(r),
        r.received(),
        r.wrong(),
        r.quiet().p50(),
        r.during().p50(),
        r.quiet().p99(),
        r.beginning().p99(),
        r.during().p99(),
        r.ratio(),
        r.newcomerMs() < 0 ? "not in" : format("%.0f", r.newcomerMs()));
  }

  private static String node(Result r) {
    String sample = r.attack().sample() == null ? "–" : r.attack().sample().replace("|", "\\|");
    return format(
        "| %s | %d | %s | %s %.0f | %.2f | %.0f → %.0f → %.0f | %.0f → %.0f | %.1f → %.1f |%n",
        name(r),
        r.open(),
        r.outcomes().isEmpty() ? "–" : r.outcomes(),
        r.attack().sample() == null ? sample : "`" + sample + "`",
        r.counted(),
        r.cores(),
        r.before().residentMib(),
        r.peakMib(),
        r.after().residentMib(),
        r.before().heapMib(),
        r.after().heapMib(),
        r.before().buffersMib(),
        r.after().buffersMib());
  }

  private static String each(Result r) {
    double kib = 1024.0 / Math.max(1, r.open());
    return format(
        "| %s | %d | %.1f | %.1f | %.2f |%n",
        name(r),
        r.open(),
        (r.held().residentMib() - r.before().residentMib()) * kib,
        (r.held().heapMib() - r.before().heapMib()) * kib,
        (r.held().buffersMib() - r.before().buffersMib()) * kib);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Replaces the tables in docs/security/attacks.md. */
  static void writeDoc(String tables) throws IOException {
    String doc = Files.readString(DOC);
    int begin = doc.indexOf(BEGIN) + BEGIN.length();
    Files.writeString(DOC, doc.substring(0, begin) + tables + doc.substring(doc.indexOf(END)));
  }
}
