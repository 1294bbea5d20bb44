package io.sluice.gateway.audit.file;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import java.util.List;

/**
 * Audit log of a node without a file: operators' events in memory. Clients' events are discarded,
 * because they would cost each connection. For any thread but event loops.
 */
final class AuditMemory implements AuditLog {
  private final AuditHistory history = new AuditHistory();
  private final String node;

  AuditMemory(String node) {
    this.node = node;
  }

  @Override
  public void revoked(String kind, String value, Operator by, int closed) {
    add(AuditEvent.REVOKED, by, kind, value, null, closed);
  }

  @Override
  public void restored(String kind, String value, Operator by) {
    add(AuditEvent.RESTORED, by, kind, value, null, UNKNOWN);
  }

  @Override
  public void commanded(String what, String value, Operator by, String why) {
    add(AuditEvent.COMMANDED, by, what, value, why, UNKNOWN);
  }

  @Override
  public void adminRefused(String what, Operator by, String why) {
    add(AuditEvent.ADMIN_REFUSED, by, what, null, why, UNKNOWN);
  }

  private void add(
      AuditEvent event, Operator by, String what, String value, String why, long count) {
    long nowMs = System.currentTimeMillis();
    AuditRecord record =
        new AuditRecord(nowMs, event.word(), null, by, what, value, null, why, count);
    history.add(record, record.json(node));
  }

  @Override
  public List<String> recent() {
    return history.latest();
  }
}
