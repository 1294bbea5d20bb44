package io.sluice.gateway.http;

import io.sluice.gateway.session.SessionSummary;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Those of many sessions that began first, at most so many. Used by one thread at a time. */
final class SessionPage {
  private static final Comparator<SessionSummary> BY_NUMBER =
      Comparator.comparingLong(SessionSummary::number);

  private final int limit;
  private final PriorityQueue<SessionSummary> kept = new PriorityQueue<>(BY_NUMBER.reversed());

  SessionPage(int limit) {
    this.limit = limit;
  }

  void add(SessionSummary session) {
    kept.add(session);
    if (kept.size() > limit) {
      kept.poll();
    }
  }

  SessionPage addAll(List<SessionSummary> sessions) {
    sessions.forEach(this::add);
    return this;
  }

  /** In the order in which they began. */
  List<SessionSummary> sessions() {
    return kept.stream().sorted(BY_NUMBER).toList();
  }
}
