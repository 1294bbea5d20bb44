package io.sluice.loadtest.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Reader of comma-separated values with a line of column names. Immutable, for any thread.
 *
 * @param source name of the file, for error messages
 */
record RunTable(String source, List<String> lines) {
  /** Returns the table of a file. */
  static RunTable read(Path file) throws IOException {
    return new RunTable(file.toString(), Files.readAllLines(file));
  }

  /** Returns a table that is part of this program. */
  static RunTable included(String name) {
    InputStream stream = RunTable.class.getResourceAsStream(name);
    if (stream == null) {
      throw new IllegalStateException(name + " is missing in this program");
    }
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      return new RunTable(name, reader.lines().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a value per row.
   *
   * @throws IllegalArgumentException if the table is invalid; the message names file, line and
   *     column
   */
  <T> List<T> rows(List<String> columns, Function<Row, T> row) {
    if (lines.isEmpty() || !List.of(lines.get(0).split(",", -1)).equals(columns)) {
      throw new IllegalArgumentException(
          source + ":1: expected the column names " + String.join(",", columns));
    }
    List<T> rows = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        rows.add(row.apply(new Row(source + ":" + (i + 1), columns, cells(i, columns.size()))));
      }
    }
    return List.copyOf(rows);
  }

  private List<String> cells(int line, int count) {
    List<String> cells = Arrays.stream(lines.get(line).split(",", -1)).map(String::strip).toList();
    if (cells.size() != count) {
      throw new IllegalArgumentException(
          "%s:%d: %d columns; expected %d".formatted(source, line + 1, cells.size(), count));
    }
    return cells;
  }

  /** Cells of one line. Immutable. */
  record Row(String place, List<String> columns, List<String> cells) {
    String text(String column) {
      return cells.get(columns.indexOf(column));
    }

    /** Returns a number of at least 0. */
    double number(String column) {
      String cell = text(column);
      try {
        double number = Double.parseDouble(cell);
        if (Double.isFinite(number) && number >= 0) {
          return number;
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "%s: %s '%s' is not a number".formatted(place, column, cell), e);
      }
      throw new IllegalArgumentException(
          "%s: %s %s: must be at least 0".formatted(place, column, cell));
    }

    /** Returns a number above 0. */
    double positive(String column) {
      double number = number(column);
      if (number == 0) {
        throw new IllegalArgumentException("%s: %s 0: must be above 0".formatted(place, column));
      }
      return number;
    }
  }
}
