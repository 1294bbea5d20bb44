package io.sluice.gateway.transport;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;

/**
 * Lets the clients of one event loop in, as long as the node has a place for them. Bound to that
 * loop.
 */
final class Entrance {
  private final ClientPorts node;
  private final Takeover takeover;
  private final LoopConnections connections;
  private final GatewayMetrics metrics;

  Entrance(
      ClientPorts node, Takeover takeover, LoopConnections connections, GatewayMetrics metrics) {
    this.node = node;
    this.takeover = takeover;
    this.connections = connections;
    this.metrics = metrics;
  }

  /**
   * Sends the answer and leaves the connection to {@code client}, unless the node has no place for
   * it or it has ended meanwhile; then nothing more is read for {@code client}. The handler of the
   * request, or of its end, must call it before it returns: see {@link Takeover}.
   *
   * @param status of the answer's first line
   * @param headers all of the answer's headers
   * @return why not, or null
   */
  Refusal admit(
      HttpServerRequest request,
      String status,
      Map<String, String> headers,
      ClientConnection client) {
    if (node.isDraining()) {
      client.stopReading();
      return Refusal.unavailable("this node is draining");
    }
    if (!node.takePlace()) {
      client.stopReading();
      return Refusal.unavailable("this node is full");
    }
    try {
      if (takeover.take(request, status, headers, client)) {
        connections.handshakes().remove(Takeover.channel(request.connection()));
      }
    } finally {
      if (!client.isOpen()) {
        client.stopReading();
        node.givePlaceBack();
      }
    }
    return null;
  }

  /** Answers with an error, and counts it. */
  void refuse(HttpServerRequest request, Refusal refusal) {
    metrics.handshakeRefused(String.valueOf(refusal.status()));
    refusal.headers().forEach(request.response()::putHeader);
    Pages.answer(request, refusal.status(), refusal.text());
  }
}
