package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Writer of measurement reports. Stateless, for any thread. */
public final class Reports {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Reports() {}

  /**
   * Writes a measurement and its report pages to a folder, which is created if absent. The file
   * names consist of the simulation and its start time in UTC, such as {@code
   * ticker-20260101-000000}.
   *
   * @return {@code NAME.html}, {@code NAME.md} and {@code NAME.json}
   * @throws IllegalArgumentException if the measurement has invalid figures; the message contains
   *     the reason. {@code NAME.json} is written nevertheless.
   */
  public static List<Path> write(Measurement measurement, Path folder) throws IOException {
    Files.createDirectories(folder);
    String name = name(measurement);
    Path file = folder.resolve(name + ".json");
    measurement.write(file);
    return Stream.concat(pages(measurement, folder, name).stream(), Stream.of(file)).toList();
  }

  /**
   * Writes only the report pages of a measurement.
   *
   * @return {@code NAME.html} and {@code NAME.md}
   * @throws IllegalArgumentException if the measurement has invalid figures; the message contains
   *     the reason
   */
  public static List<Path> pages(Measurement measurement, Path folder, String name)
      throws IOException {
    MeasurementCheck.check(measurement);
    Files.createDirectories(folder);
    Path html = folder.resolve(name + ".html");
    Path markdown = folder.resolve(name + ".md");
    Files.writeString(html, HtmlReport.of(measurement));
    Files.writeString(markdown, markdown(measurement));
    return List.of(html, markdown);
  }

  private static String name(Measurement measurement) {
    String simulation =
        measurement.simulation().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    return simulation + "-" + TIME.format(measurement.startedAt());
  }

  /** Returns the tables of a measurement as Markdown. */
  static String markdown(Measurement measurement) {
    StringBuilder out = new StringBuilder();
    out.append("## ").append(Markdown.escape(measurement.simulation())).append(", ");
    out.append(SetupTables.startOf(measurement)).append("\n\n");
    append(out, verdict(measurement));
    RunTables.overall(measurement).forEach(table -> append(out, table));
    for (MeasuredRun run : measurement.runs()) {
      LatencyTables.overClients(run).forEach(table -> append(out, table));
    }
    out.append(LatencyTables.WHICH_INTERVAL).append("\n\n");
    out.append(Markdown.code(measurement.command())).append('\n');
    SetupTables.of(measurement).forEach(table -> append(out, table));
    return out.toString().stripTrailing() + "\n";
  }

  private static Table verdict(Measurement measurement) {
    List<List<String>> rows =
        ReportVerdict.of(measurement).stream()
            .map(each -> List.of(each.question(), each.answer().toString(), each.text()))
            .toList();
    return Table.of("Verdict", List.of("question", "answer", "reason"), rows);
  }

  private static void append(StringBuilder out, Table table) {
    out.append(table.toMarkdown()).append('\n');
  }
}
