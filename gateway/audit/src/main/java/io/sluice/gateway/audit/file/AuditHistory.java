package io.sluice.gateway.audit.file;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Latest lines of the audit log, in memory. Past the limit, the client with the most lines loses
 * its oldest. Any thread but event loops may call it.
 */
final class AuditHistory {
  /** Maximum number of lines of operators, and of clients. */
  static final int MAX_LINES = 1_000;

  private record Line(long number, String json) {}

  private final Deque<Line> ofOperators = new ArrayDeque<>();
  private final Map<String, Deque<Line>> ofClients = new HashMap<>();
  private int clientLines;
  private long lines;

  /** Adds a line; an old one of operators or of clients is removed at the limit. */
  synchronized void add(AuditRecord event, String json) {
    Line line = new Line(lines++, json);
    if (event.isOperatorEvent()) {
      if (ofOperators.size() == MAX_LINES) {
        ofOperators.removeFirst();
      }
      ofOperators.addLast(line);
      return;
    }
    if (clientLines == MAX_LINES) {
      removeOne();
    }
    ofClients.computeIfAbsent(event.user(), user -> new ArrayDeque<>()).addLast(line);
    clientLines++;
  }

  private void removeOne() {
    Map.Entry<String, Deque<Line>> largest =
        Collections.max(
            ofClients.entrySet(),
            Comparator.comparingInt((Map.Entry<String, Deque<Line>> each) -> each.getValue().size())
                .thenComparingLong(each -> -each.getValue().getFirst().number()));
    largest.getValue().removeFirst();
    if (largest.getValue().isEmpty()) {
      ofClients.remove(largest.getKey());
    }
    clientLines--;
  }

  /** Returns the lines, the latest first. */
  synchronized List<String> latest() {
    return Stream.concat(
            ofOperators.stream(), ofClients.values().stream().flatMap(Collection::stream))
        .sorted(Comparator.comparingLong(Line::number).reversed())
        .map(Line::json)
        .toList();
  }
}
