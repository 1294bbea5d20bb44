package io.sluice.gateway.http;

import io.sluice.gateway.session.SessionSummary;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Page of the sessions that began first, of bounded size. Used by one thread at a time. */
final class SessionPage {
  private static final Comparator<SessionSummary> BY_NUMBER =
      Comparator.comparingLong(SessionSummary::number);

  private final int limit;
  private final PriorityQueue<SessionSummary> first = new PriorityQueue<>(BY_NUMBER.reversed());

  SessionPage(int limit) {
    this.limit = limit;
  }

  void add(SessionSummary session) {
    first.add(session);
    if (first.size() > limit) {
      first.poll();
    }
  }

  SessionPage addAll(List<SessionSummary> sessions) {
    sessions.forEach(this::add);
    return this;
  }

  /** Returns the sessions in the order of their beginning. */
  List<SessionSummary> sessions() {
    return first.stream().sorted(BY_NUMBER).toList();
  }
}
