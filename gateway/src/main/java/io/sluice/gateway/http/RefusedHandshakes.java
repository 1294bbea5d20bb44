package io.sluice.gateway.http;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Refusal;
import java.util.function.LongSupplier;

/**
 * Counts the requests that are answered with an error instead of a session, and tells the audit log
 * of them. For any thread.
 *
 * <p>Anybody can be refused as often as they like, so that the audit log hears of a part only: the
 * rest of its rate is left to what clients do.
 */
final class RefusedHandshakes {
  /** Which part of the audit log's rate they may take. */
  private static final int PART = 10;

  private final GatewayMetrics metrics;
  private final AuditLog audit;
  private final LongSupplier clockNs;
  private final TokenBucket budget;

  /**
   * @param auditRate lines a second that the audit log takes
   * @param clockNs a clock that only rises, in nanoseconds
   */
  RefusedHandshakes(GatewayMetrics metrics, AuditLog audit, int auditRate, LongSupplier clockNs) {
    this.metrics = metrics;
    this.audit = audit;
    this.clockNs = clockNs;
    this.budget = new TokenBucket(Math.max(1, auditRate / PART), clockNs.getAsLong());
  }

  /**
   * One more.
   *
   * @param address the client's
   */
  void add(String address, Refusal refusal) {
    String status = String.valueOf(refusal.status());
    metrics.handshakeRefused(status);
    if (audit.keeps(AuditEvent.REFUSED)
        && !refusal.isQuestion()
        && budget.take(1, clockNs.getAsLong())) {
      audit.refused(new Peer("", address, Principal.ANONYMOUS), "handshake", null, status);
    }
  }
}
