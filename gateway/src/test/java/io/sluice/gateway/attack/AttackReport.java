package io.sluice.gateway.attack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Results as tables in Markdown and as comma-separated values. Stateless. */
final class AttackReport {
  private static final Path RESULTS = Path.of("..", "docs", "security", "results", "attacks.csv");
  private static final String HEADER =
      "attack,connections,opens_per_s,honest_messages,wrong_messages,p50_quiet_ms,p50_attack_ms,"
          + "p99_quiet_ms,p99_beginning_ms,p99_attack_ms,p99_ratio,newcomer_ms,open_connections,"
          + "outcomes,counter,counted,cores,rss_before_mib,rss_peak_mib,rss_after_mib,"
          + "heap_before_mib,heap_after_mib,buffers_before_mib,buffers_after_mib,rss_each_kib,"
          + "heap_each_kib,buffers_each_kib\n";

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
    return attack(result) + ", " + pace;
  }

  private static String attack(Result result) {
    return result.attack().name().toLowerCase(Locale.ROOT).replace('_', '-');
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
    return format(
        "| %s | %d | %.1f | %.1f | %.2f |%n",
        name(r),
        r.open(),
        each(r, NodeResources::residentMib),
        each(r, NodeResources::heapMib),
        each(r, NodeResources::buffersMib));
  }

  // In KiB for each connection.
  private static double each(Result r, ToDoubleFunction<NodeResources> mib) {
    double growthMib = mib.applyAsDouble(r.held()) - mib.applyAsDouble(r.before());
    return growthMib * 1024 / Math.max(1, r.open());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Replaces docs/security/results/attacks.csv. */
  static void writeCsv(List<Result> results) throws IOException {
    StringBuilder csv = new StringBuilder(HEADER);
    results.forEach(result -> csv.append(line(result)));
    Files.writeString(RESULTS, csv);
  }

  private static String line(Result r) {
    Attack.Load load = r.attack().full();
    String sample = r.attack().sample();
    return format(
        "%s,%s,%d,%d,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%s,%d,%s,%s,%.0f,%.2f,%.0f,%.0f,%.0f,%.0f,%.0f,"
            + "%.1f,%.1f,%s\n",
        attack(r),
        r.unpaced() ? "," : load.connections() + "," + (int) load.opensPerSecond(),
        r.received(),
        r.wrong(),
        r.quiet().p50(),
        r.during().p50(),
        r.quiet().p99(),
        r.beginning().p99(),
        r.during().p99(),
        r.ratio(),
        r.newcomerMs() < 0 ? "" : format("%.0f", r.newcomerMs()),
        r.open(),
        quoted(r.outcomes()),
        sample == null ? "" : quoted(sample),
        r.counted(),
        r.cores(),
        r.before().residentMib(),
        r.peakMib(),
        r.after().residentMib(),
        r.before().heapMib(),
        r.after().heapMib(),
        r.before().buffersMib(),
        r.after().buffersMib(),
        holdsAll(r)
            ? format(
                "%.1f,%.1f,%.2f",
                each(r, NodeResources::residentMib),
                each(r, NodeResources::heapMib),
                each(r, NodeResources::buffersMib))
            : ",,");
  }

  private static String quoted(String value) {
    return value.matches("[^\",]*") ? value : '"' + value.replace("\"", "\"\"") + '"';
  }
}
