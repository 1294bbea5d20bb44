package io.sluice.gateway.audit;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** Latest lines of the audit log, in memory. Any thread but event loops may call it. */
final class AuditHistory {
  /** Maximum number of lines of operators, and of clients. */
  static final int MAX_LINES = 1_000;

  private record Line(long number, String json) {}

  private final Deque<Line> ofOperators = new ArrayDeque<>();
  private final Deque<Line> ofClients = new ArrayDeque<>();
  private long lines;

  /** Adds a line; the oldest one of operators or of clients is removed at the limit. */
  synchronized void add(String json, boolean isOperatorEvent) {
    Deque<Line> all = isOperatorEvent ? ofOperators : ofClients;
    if (all.size() == MAX_LINES) {
      all.removeFirst();
    }
    all.addLast(new Line(lines++, json));
  }

  /** Returns the lines, the latest first. */
  synchronized List<String> latest() {
    return Stream.concat(ofOperators.stream(), ofClients.stream())
        .sorted(Comparator.comparingLong(Line::number).reversed())
        .map(Line::json)
        .toList();
  }
}
