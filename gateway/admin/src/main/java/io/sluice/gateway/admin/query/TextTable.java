package io.sluice.gateway.admin.query;

import java.util.ArrayList;
import java.util.List;

/** Table of texts in columns of equal width. Confined to one thread. */
final class TextTable {
  private static final String SPACE = "  ";

  private final List<List<String>> rows = new ArrayList<>();
  private final boolean[] figures;

  /**
   * Creates a table without rows.
   *
   * @param head heads of the columns; those of figures, aligned to the right, begin with {@code #}
   */
  TextTable(String... head) {
    figures = new boolean[head.length];
    List<String> first = new ArrayList<>();
    for (int i = 0; i < head.length; i++) {
      figures[i] = head[i].startsWith("#");
      first.add(figures[i] ? head[i].substring(1) : head[i]);
    }
    rows.add(first);
  }

  /** Adds a row; empty texts are shown as a dash, control characters as question marks. */
  TextTable add(String... row) {
    List<String> texts = new ArrayList<>();
    for (String text : row) {
      texts.add(text.isEmpty() ? "-" : text.replaceAll("[\\p{Cc}\\p{Cf}]", "?"));
    }
    rows.add(texts);
    return this;
  }

  /** Returns the lines, the head first. */
  List<String> lines() {
    int[] widths = new int[figures.length];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String space = " ".repeat(widths[i] - row.get(i).length());
      line.append(figures[i] ? space + row.get(i) : row.get(i) + space).append(SPACE);
    }
    return line.toString().stripTrailing();
  }
}
