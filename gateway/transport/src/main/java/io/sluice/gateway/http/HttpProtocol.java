package io.sluice.gateway.http;

import io.sluice.gateway.handshake.Refusal;

/** Open protocol over HTTP requests. For any thread. */
public interface HttpProtocol {
  /** Returns whether it serves a path, without the query. */
  boolean serves(String path);

  /** Answers a request that the node has admitted, on its event loop. */
  void serve(HttpExchange exchange);

  /** Answers a request that the node does not admit, on its event loop. */
  default void refuse(HttpExchange exchange, Refusal refusal) {
    exchange.refuse(refusal.with(exchange.origins().readable(exchange.headers("Origin"))));
  }
}
