package io.sluice.gateway.http;

import io.sluice.gateway.admission.RefusalLog;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.limits.TokenBucket;
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

  private final RefusalLog log;
  private final AuditLog audit;
  private final LongSupplier clockNs;
  private final TokenBucket auditBucket;

  /**
   * @param auditRate maximum lines per second of the audit log
   * @param clockNs monotonic clock, in nanoseconds
   */
  RefusedHandshakes(RefusalLog log, AuditLog audit, int auditRate, LongSupplier clockNs) {
    this.log = log;
    this.audit = audit;
    this.clockNs = clockNs;
    this.auditBucket = new TokenBucket(Math.max(1, auditRate / RATE_DIVISOR), clockNs.getAsLong());
  }

  /**
   * Counts a refusal, logs it, and writes it to the audit log.
   *
   * @param address the client's
   * @param origin of the page that sent the request; null if it has none
   */
  void add(String address, Refusal refusal, String origin) {
    log.add(refusal, address, origin);
    if (audit.isRecorded(AuditEvent.REFUSED)
        && !refusal.isChallenge()
        && auditBucket.take(1, clockNs.getAsLong())) {
      audit.refused(
          new Peer("", address, Principal.ANONYMOUS),
          "handshake",
          null,
          String.valueOf(refusal.status()));
    }
  }

  /**
   * Counts and logs an error response to a request for a page.
   *
   * @param address the client's
   */
  void addPage(int status, String address, String path) {
    log.addPage(status, address, path);
  }
}
