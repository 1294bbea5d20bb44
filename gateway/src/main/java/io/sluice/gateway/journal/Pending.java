package io.sluice.gateway.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * Appended entries that are not written yet. The writer changes it, readers look into it; its lock
 * is never held while the disk works.
 */
final class Pending {
  private final Deque<Row> rows = new ArrayDeque<>();
  private long bytes;

  synchronized void add(Row row) {
    rows.add(row);
    bytes += row.size();
  }

  synchronized long bytes() {
    return bytes;
  }

  synchronized List<Row> rows() {
    return List.copyOf(rows);
  }

  /** At most {@code most} rows from an offset on. */
  synchronized List<Row> rowsFrom(long offset, int most) {
    List<Row> found = new ArrayList<>();
    for (Row row : rows) {
      if (found.size() == most) {
        break;
      }
      if (row.mark().offset() >= offset) {
        found.add(row);
      }
    }
    return found;
  }

  /** Takes out the oldest rows, which were written. */
  synchronized void removeFirst(Collection<Row> written) {
    for (int i = 0; i < written.size(); i++) {
      bytes -= rows.remove().size();
    }
  }
}
