package io.sluice.gateway.stomp;

import io.sluice.gateway.http.HttpExchange;
import io.sluice.gateway.session.ProtocolContext;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * Response by which a session of SockJS sends. Bound to the event loop of its request; the methods
 * may be called by any thread.
 */
final class XhrReceiver {
  /** Size at which a response ends: browsers keep all of it. */
  private static final int MAX_BYTES = 128 * 1024;

  /** Bytes that make old browsers and proxies pass on what follows. */
  private static final String PRELUDE = "h".repeat(2048) + "\n";

  private final HttpExchange exchange;
  private final HttpServerResponse response;
  private final ProtocolContext loop;
  private final XhrSession session;
  private final boolean streams;
  private int bytes;
  private boolean done;

  /**
   * Begins a response, within the handler of its request.
   *
   * @param streams whether it has more than one message
   */
  XhrReceiver(HttpExchange exchange, XhrSession session, boolean streams) {
    this.exchange = exchange;
    this.response = exchange.request().response();
    this.loop = exchange.loop();
    this.session = session;
    this.streams = streams;
    exchange.suspend();
    response
        .putHeader("Content-Type", "application/javascript; charset=UTF-8")
        .putHeader("Cache-Control", "no-store, no-transform")
        .putHeader("X-Accel-Buffering", "no")
        .closeHandler(gone -> onGone());
    if (streams) {
      response.setChunked(true).write(PRELUDE);
    }
  }

  /** Returns whether the response may have several lines. */
  boolean streams() {
    return streams;
  }

  /**
   * Sends lines.
   *
   * @param last whether no more follow
   */
  void send(byte[] lines, boolean last) {
    loop.executeLater(() -> write(lines, last), 0);
  }

  private void write(byte[] lines, boolean last) {
    if (done) {
      return;
    }
    bytes += lines.length;
    boolean ends = last || !streams || bytes >= MAX_BYTES;
    Buffer buffer = Buffer.buffer(lines);
    Future<Void> written = ends ? response.end(buffer) : response.write(buffer);
    if (ends) {
      finish();
    }
    written.onComplete(
        result -> session.execute(() -> session.onSent(this, ends, result.succeeded())));
  }

  /** Ends the connection of a client that does not read. */
  void abort() {
    loop.executeLater(
        () -> {
          if (!done) {
            response.reset();
          }
        },
        0);
  }

  private void onGone() {
    if (!done) {
      finish();
      session.execute(() -> session.onInterrupted(this));
    }
  }

  private void finish() {
    done = true;
    exchange.resume();
  }
}
