package io.sluice.gateway.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * Queue of appended rows that are not yet written. The writer changes it and readers read it; its
 * lock is never held during disk I/O.
 */
final class PendingRows {
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

  /** Returns at most {@code maxRows} rows from an offset on. */
  synchronized List<Row> rowsFrom(long offset, int maxRows) {
    List<Row> found = new ArrayList<>();
    for (Row row : rows) {
      if (found.size() == maxRows) {
        break;
      }
      if (row.position().offset() >= offset) {
        found.add(row);
      }
    }
    return found;
  }

  /** Removes the oldest rows after they were written. */
  synchronized void removeFirst(Collection<Row> written) {
    for (int i = 0; i < written.size(); i++) {
      bytes -= rows.remove().size();
    }
  }
}
