package io.sluice.gateway.http;

import io.netty.channel.Channel;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Refusal;
import io.sluice.gateway.socket.SocketHandover;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;

/**
 * Admission control for the requests of one event loop: admits a client while the quotas of the
 * node and of its address allow it. Bound to that loop.
 */
final class ClientAdmission {
  private final NodeAdmission node;
  private final SocketHandover takeover;
  private final LoopState connections;
  private final RefusedHandshakes refused;
  private final GatewayMetrics metrics;

  ClientAdmission(
      NodeAdmission node,
      SocketHandover takeover,
      LoopState connections,
      RefusedHandshakes refused,
      GatewayMetrics metrics) {
    this.node = node;
    this.takeover = takeover;
    this.connections = connections;
    this.refused = refused;
    this.metrics = metrics;
  }

  /**
   * Whether a client may ask for anything at all, before any work is done for it.
   *
   * @param address the client's
   * @return why not, or null
   */
  Refusal check(HttpServerRequest request, String address) {
    if (node.isStopping()) {
      return stopping();
    }
    if (connections.isOverloaded()) {
      metrics.limitReached(LimitSettings.OVERLOAD_LAG.key());
      return Refusal.unavailable("this node is overloaded");
    }
    return count(request, address)
        ? null
        : Refusal.tooMany("too many handshakes from this address");
  }

  private static Refusal stopping() {
    return Refusal.unavailable("this node is stopping");
  }

  private boolean count(HttpServerRequest request, String address) {
    boolean counted =
        connections.handshakes().useCounted(SocketHandover.channel(request.connection()));
    return counted || node.addresses().takeHandshake(address);
  }

  /**
   * Has a request answered that asks for no session, unless its address asks for too much. What a
   * trusted proxy asks for itself, such as whether the node is there, is not counted.
   */
  void answer(HttpServerRequest request, ClientAddresses addresses, Runnable answer) {
    String address = addresses.of(request);
    if (node.isStopping()) {
      refuse(request, address, stopping());
    } else if (addresses.isProxy(address) || count(request, address)) {
      answer.run();
    } else {
      refuse(request, address, Refusal.tooMany("too many requests from this address"));
    }
  }

  /**
   * Sends the answer and leaves the connection to {@code client}, unless the node has no place for
   * it or it has ended meanwhile; then nothing more is read for {@code client}. The handler of the
   * request, or of its end, must call it before it returns: see {@link SocketHandover}.
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
    if (node.isStopping()) { // since the request began
      client.stopReading();
      return stopping();
    }
    if (node.isDraining()) {
      client.stopReading();
      return Refusal.unavailable("this node is draining");
    }
    Quota quota = node.addresses().enter(client.address());
    if (quota == null) {
      client.stopReading();
      return Refusal.tooMany("too many connections from this address");
    }
    if (!node.takePlace()) {
      node.addresses().leave(quota);
      client.stopReading();
      return Refusal.unavailable("this node is full");
    }
    // Last: a connection that is refused anyway must not use up the rate of the node.
    if (!node.takeHandshake()) {
      node.givePlaceBack();
      node.addresses().leave(quota);
      client.stopReading();
      return Refusal.unavailable("too many handshakes at this node");
    }
    client.onAdmitted(quota);
    Channel channel = SocketHandover.channel(request.connection());
    connections.handshakes().onAdmitted(channel);
    try {
      if (takeover.take(request, status, headers, client)) {
        connections.handshakes().remove(channel);
      }
    } finally {
      if (!client.isOpen()) {
        client.stopReading();
        node.givePlaceBack();
        node.addresses().leave(quota);
      }
    }
    return null;
  }

  /**
   * Answers with an error, and counts it.
   *
   * @param address the client's
   */
  void refuse(HttpServerRequest request, String address, Refusal refusal) {
    refused.add(address, refusal);
    refusal.headers().forEach(request.response()::putHeader);
    Pages.answer(request, refusal.status(), refusal.text());
  }
}
