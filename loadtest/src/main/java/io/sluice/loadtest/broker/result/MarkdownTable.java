package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.statistics.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Markdown table with aligned columns. For one thread. */
public final class MarkdownTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with column names; the first column is text, the others are figures. */
  public MarkdownTable(String... heads) {
    rows.add(List.of(heads));
  }

  /** Adds a row with a cell per column. */
  public void row(List<String> cells) {
    if (cells.size() != rows.get(0).size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells in a row; expected " + rows.get(0).size());
    }
    rows.add(List.copyOf(cells));
  }

  /** Returns the table, terminated by a line feed. */
  public String toText() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    append(text, rows.get(0), widths);
    appendRule(text, widths);
    rows.subList(1, rows.size()).forEach(row -> append(text, row, widths));
    return text.toString();
  }

  private static void append(StringBuilder text, List<String> row, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - row.get(i).length());
      text.append("| ").append(i == 0 ? row.get(i) + padding : padding + row.get(i)).append(' ');
    }
    text.append("|\n");
  }

  private static void appendRule(StringBuilder text, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      text.append(i == 0 ? "|:" : "|-").append("-".repeat(widths[i])).append(i == 0 ? "-" : ":");
    }
    text.append("|\n");
  }

  /**
   * Returns the mean of one figure per run with its 95 % interval by Student's t. A single run has
   * no interval; a missing figure is a dash.
   */
  public static String figure(double[] samples, int decimals) {
    for (double sample : samples) {
      if (!Double.isFinite(sample)) {
        return "–";
      }
    }
    return samples.length == 1
        ? String.format(Locale.ROOT, "%." + decimals + "f", samples[0])
        : Intervals.student(samples).boundedAtZero().toText(decimals);
  }
}
