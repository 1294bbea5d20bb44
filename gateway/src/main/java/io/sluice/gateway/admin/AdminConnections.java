package io.sluice.gateway.admin;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections of the admin port: how many there may be, and for how long they may ask for
 * nothing. Bound to the port's event loop.
 *
 * <p>An idle time-out would not do: whoever sends a byte now and then could keep all places, and
 * the operator out. And where all places are taken, it is the quietest that goes, not who has come
 * last: health is asked for by new connections, and a node whose health does not answer is killed.
 */
final class AdminConnections {
  /** Those that have asked latest are the last. */
  private final Map<HttpConnection, Use> uses = new LinkedHashMap<>(16, 0.75f, true);

  /** Connections in their TLS handshake, by what closes them: when they were accepted. */
  private final Map<Runnable, Long> handshakes = new LinkedHashMap<>();

  private final int most;
  private final long idleMs;

  AdminConnections(AdminOptions options) {
    this.most = options.connections();
    this.idleMs = options.idle().toMillis();
  }

  /** How often {@link #sweep} has to be called. */
  long sweepMs() {
    return Math.max(10, Math.min(1_000, idleMs / 4));
  }

  /**
   * Counts a connection that was accepted and whose TLS handshake begins. If it is one too many,
   * the connection is closed that asks for nothing for longest, or this one if all others wait for
   * an answer.
   *
   * @param close ends the connection; names it until {@link #onHandshakeEnd}
   */
  void onHandshakeBegin(Runnable close, long nowMs) {
    if (makeRoom()) {
      handshakes.put(close, nowMs);
    } else {
      close.run();
    }
  }

  /** Removes a connection whose TLS handshake is over, or which is gone. Can be called again. */
  void onHandshakeEnd(Runnable close) {
    handshakes.remove(close);
  }

  /** Counts a connection over which HTTP begins, by the rule of {@link #onHandshakeBegin}. */
  void add(HttpConnection connection, long nowMs) {
    if (!makeRoom()) {
      connection.close();
      return;
    }
    uses.put(connection, new Use(null, nowMs));
    connection.closeHandler(gone -> uses.remove(connection));
  }

  /** Closes the quietest connection if all places are taken; false if none may be closed. */
  private boolean makeRoom() {
    if (uses.size() + handshakes.size() < most) {
      return true;
    }
    Map.Entry<HttpConnection, Use> quietest = quietest();
    Map.Entry<Runnable, Long> oldest = handshakes.entrySet().stream().findFirst().orElse(null);
    if (oldest != null
        && (quietest == null || oldest.getValue() <= quietest.getValue().sinceMs())) {
      handshakes.remove(oldest.getKey());
      oldest.getKey().run();
    } else if (quietest != null) {
      uses.remove(quietest.getKey());
      quietest.getKey().close();
    } else {
      return false;
    }
    return true;
  }

  private Map.Entry<HttpConnection, Use> quietest() {
    return uses.entrySet().stream()
        .filter(entry -> !entry.getValue().isOurTurn())
        .findFirst()
        .orElse(null);
  }

  /** Somebody has asked for something. */
  void onRequest(HttpServerRequest request, long nowMs) {
    uses.computeIfPresent(request.connection(), (same, before) -> new Use(request, nowMs));
  }

  /** Closes those that have asked for nothing for too long. */
  void sweep(long nowMs) {
    uses.replaceAll((connection, use) -> use.isOurTurn() ? new Use(use.last, nowMs) : use);
    List<HttpConnection> idle =
        uses.entrySet().stream()
            .filter(entry -> nowMs - entry.getValue().sinceMs >= idleMs)
            .map(Map.Entry::getKey)
            .toList();
    idle.forEach(HttpConnection::close);
  }

  /**
   * What a connection was used for.
   *
   * @param last request, or null before the first
   * @param sinceMs from when on it asks for nothing
   */
  private record Use(HttpServerRequest last, long sinceMs) {
    /** Whether the node has not answered yet what it was asked in full. */
    boolean isOurTurn() {
      return last != null && last.isEnded() && !last.response().ended();
    }
  }
}
