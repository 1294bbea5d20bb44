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
 * Table of comma-separated values with one row per client and one column per figure, below a line
 * of names. Immutable, for any thread.
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
   * @throws IllegalArgumentException if the file is invalid; the message names file, line and
   *     column
   */
  public static ClientTable read(Path file) throws IOException {
    return parse(file.toString(), Files.readAllLines(file));
  }

  static ClientTable parse(String source, List<String> lines) {
    List<String> nonBlank = lines.stream().filter(line -> !line.isBlank()).toList();
    if (nonBlank.size() < 2) {
      throw new IllegalArgumentException(
          source + ": expected a line of column names and at least one row");
    }
    String[] names = cells(nonBlank.get(0));
    List<double[]> rows = new ArrayList<>();
    for (int i = 1; i < nonBlank.size(); i++) {
      rows.add(row(source + ":" + (i + 1), nonBlank.get(i), names));
    }
    Map<String, double[]> columns = new LinkedHashMap<>();
    for (int i = 0; i < names.length; i++) {
      int column = i;
      double[] values = rows.stream().mapToDouble(row -> row[column]).toArray();
      if (names[i].isEmpty() || columns.put(names[i], values) != null) {
        throw new IllegalArgumentException(
            source + ":1: the name of column " + (i + 1) + " is empty or a duplicate");
      }
    }
    return new ClientTable(source, columns);
  }

  /** Returns the column names, in order. */
  public Set<String> names() {
    return columns.keySet();
  }

  /**
   * Returns the figures of a column, one per client.
   *
   * @throws IllegalArgumentException if there is no such column
   */
  public double[] column(String name) {
    double[] column = columns.get(name);
    if (column == null) {
      throw new IllegalArgumentException(
          source + ": no column " + name + "; columns are " + String.join(", ", columns.keySet()));
    }
    return column.clone();
  }

  private static double[] row(String place, String line, String[] names) {
    String[] cells = cells(line);
    if (cells.length != names.length) {
      throw new IllegalArgumentException(
          place + ": " + cells.length + " columns; expected " + names.length);
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
      throw new IllegalArgumentException(place + " is not a number: " + cell, e);
    }
    throw new IllegalArgumentException(place + " must be at least 0: " + cell);
  }

  private static String[] cells(String line) {
    String[] cells = line.split(",", -1);
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cells[i].strip();
    }
    return cells;
  }
}
