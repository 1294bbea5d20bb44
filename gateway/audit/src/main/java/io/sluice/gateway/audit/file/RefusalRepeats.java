package io.sluice.gateway.audit.file;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Equal refusals of one session, or of one network before it has a session, within a second. The
 * first is a separate line; one line with their number represents the others. Bound to the writing
 * thread.
 */
final class RefusalRepeats {
  /** Maximum number of different refusals per second that are compared. */
  private static final int MAX = 4096;

  private record Kind(String source, String what, AuditLog.Resource resource, String why) {
    static Kind of(AuditRecord event) {
      AuditLog.Client client = event.client();
      String session = client.session();
      return new Kind(
          session.isEmpty() ? event.user() + ' ' + client.subject() : session,
          event.what(),
          event.resource(),
          event.why());
    }
  }

  /** Refusals since the first one. */
  private static final class Repeats {
    private long count;
    private AuditRecord latest;
  }

  private final Map<Kind, Repeats> kinds = new HashMap<>();

  /** Counts an event that repeats an earlier one; returns false for any other event. */
  boolean add(AuditRecord event) {
    if (!event.event().equals(AuditEvent.REFUSED.word())) {
      return false;
    }
    Kind kind = Kind.of(event);
    Repeats repeats = kinds.get(kind);
    if (repeats == null) {
      if (kinds.size() < MAX) {
        kinds.put(kind, new Repeats());
      }
      return false;
    }
    repeats.count++;
    repeats.latest = event;
    return true;
  }

  /** Ends the second: passes on one event for the repeats of each kind. */
  void end(Queue<AuditRecord> events) {
    for (Repeats each : kinds.values()) {
      if (each.count > 0) {
        events.add(each.count == 1 ? each.latest : each.latest.withCount(each.count));
      }
    }
    kinds.clear();
  }
}
