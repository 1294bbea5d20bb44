package io.sluice.loadtest.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Text in rows and columns, with the row's name in the first column. Immutable, for any thread.
 *
 * @param title of the table
 * @param note one or more sentences below it; may be empty
 */
record Table(String title, List<String> head, List<List<String>> rows, String note) {

  static Table of(String title, List<String> head, List<List<String>> rows) {
    return new Table(title, head, rows, "");
  }

  Table withNote(String text) {
    return new Table(title, head, rows, text);
  }

  String toMarkdown() {
    List<String> lines = new ArrayList<>();
    lines.add("### " + Markdown.escape(title));
    lines.add("");
    lines.add(line(head));
    lines.add("|---".repeat(head.size()) + "|");
    rows.forEach(row -> lines.add(line(row)));
    if (!note.isEmpty()) {
      lines.add("");
      lines.add(Markdown.escape(note));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells.stream().map(Markdown::escape).toList()) + " |";
  }
}
