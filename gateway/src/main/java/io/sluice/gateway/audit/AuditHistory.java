package io.sluice.gateway.audit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** Latest lines of the audit log, in memory. Any thread but event loops may call it. */
final class AuditHistory {
  /** Maximum number of lines. */
  static final int MAX_LINES = 1_000;

  private final Deque<String> lines = new ArrayDeque<>();

  /** Adds a line; the oldest one is removed at the limit. */
  synchronized void add(String json) {
    if (lines.size() == MAX_LINES) {
      lines.removeFirst();
    }
    lines.addLast(json);
  }

  /** Returns the lines, the latest first. */
  synchronized List<String> latest() {
    List<String> latest = new ArrayList<>(lines);
    Collections.reverse(latest);
    return latest;
  }
}
