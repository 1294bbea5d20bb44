package io.sluice.loadtest.statistics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A table with a row for each client and a column for each figure, as others publish it: a line of
 * names, then numbers, with commas in between. Immutable.
 */
public final class ClientTable {
  private final String source;
  private final Map<String, double[]> columns;

  private ClientTable(String source, Map<String, double[]> columns) {
    this.source = source;
    this.columns = columns;
  }

  /**
   * Reads a table.
   *
   * @throws IllegalArgumentException if it is none; the message names file, line and column
   */
  public static ClientTable read(Path file) throws IOException {
    return parse(file.toString(), Files.readAllLines(file));
  }

  static ClientTable parse(String source, List<String> lines) {
    List<String> filled = lines.stream().filter(line -> !line.isBlank()).toList();
    if (filled.size() < 2) {
      throw new IllegalArgumentException(source + ": no line of names with rows below it");
    }
    String[] names = cells(filled.get(0));
    List<double[]> rows = new ArrayList<>();
    for (int i = 1; i < filled.size(); i++) {
      rows.add(row(source + ":" + (i + 1), filled.get(i), names));
    }
    Map<String, double[]> columns = new LinkedHashMap<>();
    for (int i = 0; i < names.length; i++) {
      int column = i;
      double[] values = rows.stream().mapToDouble(row -> row[column]).toArray();
      if (names[i].isEmpty() || columns.put(names[i], values) != null) {
        throw new IllegalArgumentException(
            source + ":1: column " + (i + 1) + " has no name of its own");
      }
    }
    return new ClientTable(source, columns);
  }

  /** The names, as they stand in the first line. */
  public Set<String> names() {
    return columns.keySet();
  }

  /**
   * The figures of a column, one a client.
   *
   * @throws IllegalArgumentException if there is no such column
   */
  public double[] column(String name) {
    double[] column = columns.get(name);
    if (column == null) {
      throw new IllegalArgumentException(
          source + ": no column " + name + ", only " + String.join(", ", columns.keySet()));
    }
    return column.clone();
  }

  private static double[] row(String place, String line, String[] names) {
    String[] cells = cells(line);
    if (cells.length != names.length) {
      throw new IllegalArgumentException(
          place + ": " + cells.length + " columns instead of " + names.length);
    }
    double[] row = new double[cells.length];
    for (int i = 0; i < cells.length; i++) {
      row[i] = number(place + ": " + names[i], cells[i]);
    }
    return row;
  }

  private static double number(String place, String cell) {
    try {
      double number = Double.parseDouble(cell);
      if (Double.isFinite(number) && number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(place + " is no number: " + cell, e);
    }
    throw new IllegalArgumentException(place + " should be 0 or more, not " + cell);
  }

  private static String[] cells(String line) {
    String[] cells = line.split(",", -1);
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cells[i].strip();
    }
    return cells;
  }
}
