package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;

/** A measurement as Markdown: the tables, as they go into a document. */
final class MarkdownReport {
  private MarkdownReport() {}

  static String of(Measurement measurement) {
    StringBuilder out = new StringBuilder();
    out.append("## ").append(Markdown.escape(measurement.simulation())).append(", ");
    out.append(SetupTables.startOf(measurement)).append("\n\n");
    out.append(Markdown.code(measurement.command())).append('\n');
    ReportTables.overall(measurement).forEach(table -> append(out, table));
    for (MeasuredRun run : measurement.runs()) {
      LatencyTables.overClients(run).forEach(table -> append(out, table));
    }
    out.append(LatencyTables.WHICH_INTERVAL).append("\n\n");
    SetupTables.of(measurement).forEach(table -> append(out, table));
    return out.toString().stripTrailing() + "\n";
  }

  private static void append(StringBuilder out, Table table) {
    out.append(table.toMarkdown()).append('\n');
  }
}
