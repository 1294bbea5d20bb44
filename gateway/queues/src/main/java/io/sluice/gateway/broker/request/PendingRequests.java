package io.sluice.gateway.broker.request;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounded table of pending requests, by correlation id and by deadline. One periodic check ends
 * overdue requests; there is no timer for each. Any thread; never waits.
 */
final class PendingRequests {
  /** Outcome of a request whose client has disconnected. */
  static final String CANCELLED = "cancelled";

  /** Outcome of a request with a reply. */
  static final String REPLIED = "replied";

  private static final Logger log = LoggerFactory.getLogger(PendingRequests.class);
  private static final long NANOS_PER_MS = 1_000_000;

  /** Random bytes of a correlation id. A responder must not guess that of another request. */
  private static final int ID_BYTES = 16;

  /** Differences, because the clock's values may overflow. */
  private static final Comparator<PendingRequest> BY_DEADLINE =
      (a, b) ->
          a.deadlineNs == b.deadlineNs
              ? Long.compare(a.number, b.number)
              : Long.signum(a.deadlineNs - b.deadlineNs);

  private final Shares shares;
  private final LongSupplier clockNs;
  private final GatewayMetrics metrics;
  private final AtomicLong numbers = new AtomicLong();
  private final SecureRandom random = new SecureRandom();
  private final Map<String, PendingRequest> byId = new ConcurrentHashMap<>();
  private final ConcurrentSkipListSet<PendingRequest> byDeadline =
      new ConcurrentSkipListSet<>(BY_DEADLINE);

  /**
   * @param max maximum number of pending requests, shared by users
   * @param clockNs monotonic clock
   */
  PendingRequests(int max, LongSupplier clockNs, GatewayMetrics metrics) {
    this.shares = new Shares(max);
    this.clockNs = clockNs;
    this.metrics = metrics;
  }

  /** Adds a request. Returns null if the table is full, or the user's share of it. */
  PendingRequest add(Publication publication, long timeoutMs, ReplyListener listener) {
    if (!shares.take(listener.requester().user(), 1)) {
      return null;
    }
    long deadlineNs = clockNs.getAsLong() + timeoutMs * NANOS_PER_MS;
    PendingRequest added =
        new PendingRequest(
            this, numbers.incrementAndGet(), newId(), deadlineNs, publication, listener);
    metrics.requestsPending(1);
    byId.put(added.correlationId, added);
    byDeadline.add(added);
    return added;
  }

  private String newId() {
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    return "sluice-" + HexFormat.of().formatHex(id);
  }

  /**
   * Returns the pending request with this correlation id, or null.
   *
   * @param correlationId may be null
   */
  PendingRequest get(String correlationId) {
    return correlationId == null ? null : byId.get(correlationId);
  }

  /** Removes a request and counts its outcome. Returns false if it had ended. */
  boolean end(PendingRequest request, String outcome) {
    if (!byId.remove(request.correlationId, request)) {
      return false;
    }
    byDeadline.remove(request);
    request.takePublication();
    shares.release(request.requester().user(), 1);
    metrics.requestsPending(-1);
    metrics.requestEnded(outcome);
    return true;
  }

  boolean isEmpty() {
    return byId.isEmpty();
  }

  /** Returns the rest of a request's time in milliseconds, at least 1. */
  long remainingMs(PendingRequest request) {
    return Math.max(1, (request.deadlineNs - clockNs.getAsLong()) / NANOS_PER_MS);
  }

  /** Ends the requests that are overdue. */
  void expire() {
    long nowNs = clockNs.getAsLong();
    for (PendingRequest request : byDeadline) {
      if (request.deadlineNs - nowNs > 0) {
        return;
      }
      request.refuse(ErrorCode.TIMEOUT, "no reply has arrived in time");
    }
  }

  /** Returns all pending requests, the earliest deadline first. */
  List<PendingRequest> all() {
    return List.copyOf(byDeadline);
  }

  /** Runs a notification. The failure of a listener must not affect other requests. */
  void notifyListener(ReplyListener listener, Runnable notification) {
    try {
      notification.run();
    } catch (Throwable e) {
      log.atError()
          .addKeyValue("session", listener.requester().session())
          .setCause(e)
          .log("request.unanswered");
    }
  }
}
