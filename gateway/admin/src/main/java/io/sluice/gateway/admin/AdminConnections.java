package io.sluice.gateway.admin;

import io.sluice.gateway.time.RunningClock;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections of the admin port, with limits of their number and of their time without a request.
 * Bound to the port's event loop.
 *
 * <p>An idle timeout would not suffice: a client that sends single bytes could occupy all
 * connections and exclude the operator. At the limit the connection that is idle for longest is
 * closed, not the newest one. Health checks use new connections, and a node whose health check
 * fails is killed.
 */
final class AdminConnections {
  /** Connections for HTTP, in the order of their latest requests. */
  private final Map<HttpConnection, Use> uses = new LinkedHashMap<>();

  /** Time of acceptance of connections in their TLS handshake, by the action that closes them. */
  private final Map<Runnable, Long> handshakes = new LinkedHashMap<>();

  private final int max;
  private final long idleMs;
  private final long handshakeMs;
  private final RunningClock clock;

  AdminConnections(AdminOptions options) {
    this.max = options.connections();
    this.idleMs = options.idle().toMillis();
    this.handshakeMs = options.handshake().toMillis();
    this.clock = new RunningClock(System::nanoTime, sweepMs());
  }

  /** Returns the time of the clock of all limits, in milliseconds. */
  long nowMs() {
    return clock.nowMs();
  }

  /** Closes connections that have exceeded a time limit. Called periodically. */
  void onTick() {
    if (clock.tick()) {
      sweep(clock.nowMs());
    }
  }

  /** Returns the interval of calls of {@link #onTick}, in milliseconds. */
  long sweepMs() {
    return Math.max(10, Math.min(1_000, Math.min(idleMs, handshakeMs) / 4));
  }

  /**
   * Adds an accepted connection whose TLS handshake begins. At the limit, closes the connection
   * that is idle for longest, or this one if all others wait for a response.
   *
   * @param close action that closes the connection, and its key until {@link #onHandshakeEnd}
   */
  void onHandshakeBegin(Runnable close, long nowMs) {
    if (freeSlot()) {
      handshakes.put(close, nowMs);
    } else {
      close.run();
    }
  }

  /** Removes a connection whose TLS handshake has ended, or which was closed. Idempotent. */
  void onHandshakeEnd(Runnable close) {
    handshakes.remove(close);
  }

  /** Adds a connection for HTTP, by the rule of {@link #onHandshakeBegin}. */
  void add(HttpConnection connection, long nowMs) {
    if (!freeSlot()) {
      connection.close();
      return;
    }
    uses.put(connection, new Use(null, nowMs));
    connection.closeHandler(closed -> uses.remove(connection));
  }

  /** Closes the longest idle connection at the limit. Returns false if none may be closed. */
  private boolean freeSlot() {
    if (uses.size() + handshakes.size() < max) {
      return true;
    }
    Map.Entry<HttpConnection, Use> longestIdle = longestIdle();
    Map.Entry<Runnable, Long> oldest = handshakes.entrySet().stream().findFirst().orElse(null);
    if (oldest != null
        && (longestIdle == null || oldest.getValue() <= longestIdle.getValue().sinceMs())) {
      handshakes.remove(oldest.getKey());
      oldest.getKey().run();
    } else if (longestIdle != null) {
      uses.remove(longestIdle.getKey());
      longestIdle.getKey().close();
    } else {
      return false;
    }
    return true;
  }

  // Not the first one: sweep renews the idle time of connections that await a response. Among those
  // of one millisecond, the first one.
  private Map.Entry<HttpConnection, Use> longestIdle() {
    return uses.entrySet().stream()
        .filter(entry -> !entry.getValue().isAwaitingResponse())
        .min(Comparator.comparingLong(entry -> entry.getValue().sinceMs()))
        .orElse(null);
  }

  /** Records a request. */
  void onRequest(HttpServerRequest request, long nowMs) {
    if (uses.remove(request.connection()) != null) {
      uses.put(request.connection(), new Use(request, nowMs));
    }
  }

  /** Closes all connections, each after the response that it awaits; streams end at once. */
  void endAll() {
    List.copyOf(uses.entrySet()).forEach(entry -> end(entry.getKey(), entry.getValue()));
  }

  private static void end(HttpConnection connection, Use use) {
    if (use.isAwaitingResponse() && !use.last.response().headWritten()) {
      use.last.response().endHandler(ended -> connection.close());
    } else {
      connection.close();
    }
  }

  /** Closes connections that have exceeded the time without a request, or of their handshake. */
  void sweep(long nowMs) {
    List<Runnable> overdue =
        handshakes.entrySet().stream()
            .filter(entry -> nowMs - entry.getValue() >= handshakeMs)
            .map(Map.Entry::getKey)
            .toList();
    overdue.forEach(Runnable::run); // the closed connection ends its handshake
    uses.replaceAll((connection, use) -> use.isAwaitingResponse() ? new Use(use.last, nowMs) : use);
    List<HttpConnection> idle =
        uses.entrySet().stream()
            .filter(entry -> nowMs - entry.getValue().sinceMs >= idleMs)
            .map(Map.Entry::getKey)
            .toList();
    idle.forEach(HttpConnection::close);
  }

  /**
   * Latest use of a connection.
   *
   * @param last latest request; null before the first
   * @param sinceMs start of its idle time
   */
  private record Use(HttpServerRequest last, long sinceMs) {
    /** Returns whether the latest request is complete and its response is not. */
    boolean isAwaitingResponse() {
      return last != null && last.isEnded() && !last.response().ended();
    }
  }
}
