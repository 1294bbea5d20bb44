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
 * Counter, audit log and log of handshakes that are refused with an HTTP error. For any thread.
 *
 * <p>A client can cause any number of refusals. They may use only a part of the audit log's rate;
 * the rest is reserved for other events.
 */
final class RefusedHandshakes {
  /** Divisor of the audit log's rate that refusals may use. */
  private static final int RATE_DIVISOR = 10;

  private final GatewayMetrics metrics;
  private final AuditLog audit;
  private final LongSupplier clockNs;
  private final TokenBucket auditBucket;
  private final RefusedOrigins origins;

  /**
   * @param auditRate maximum lines per second of the audit log
   * @param clockNs monotonic clock, in nanoseconds
   */
  RefusedHandshakes(GatewayMetrics metrics, AuditLog audit, int auditRate, LongSupplier clockNs) {
    this.metrics = metrics;
    this.audit = audit;
    this.clockNs = clockNs;
    this.auditBucket = new TokenBucket(Math.max(1, auditRate / RATE_DIVISOR), clockNs.getAsLong());
    this.origins = new RefusedOrigins(clockNs);
  }

  /**
   * Counts a refusal, writes it to the audit log, and logs a refused origin.
   *
   * @param address the client's
   * @param origin of the page that sent the request; null if it has none
   */
  void add(String address, Refusal refusal, String origin) {
    String status = String.valueOf(refusal.status());
    metrics.handshakeRefused(status);
    if (refusal.isOfOrigin() && origin != null) {
      origins.add(address, origin);
    }
    if (audit.isRecorded(AuditEvent.REFUSED)
        && !refusal.isChallenge()
        && auditBucket.take(1, clockNs.getAsLong())) {
      audit.refused(new Peer("", address, Principal.ANONYMOUS), "handshake", null, status);
    }
  }
}
