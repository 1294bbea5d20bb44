package io.sluice.gateway.http;

import io.netty.channel.Channel;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.Acquisition;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaLimits.Limit;
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
      return node.refusal();
    }
    if (connections.isOverloaded()) {
      metrics.limitReached(LimitSettings.OVERLOAD_LAG.key());
      return Refusal.unavailable("this node is overloaded");
    }
    return count(request, address) ? null : tooManyHandshakes();
  }

  private Refusal tooManyHandshakes() {
    return Refusal.tooMany(node.handshakeLimit().problem());
  }

  private boolean count(HttpServerRequest request, String address) {
    boolean counted =
        connections.handshakes().useCharge(SocketHandover.channel(request.connection()));
    return counted || node.takeHandshake(address);
  }

  /**
   * Has a request answered that asks for no session, unless its address asks for too much. What a
   * trusted proxy asks for itself, such as whether the node is there, is not counted.
   *
   * @param cors headers of an answer with an error
   */
  void answer(
      HttpServerRequest request,
      ClientAddresses addresses,
      Map<String, String> cors,
      Runnable answer) {
    String address = addresses.of(request);
    if (node.isStopping()) {
      refuse(request, address, node.refusal().with(cors));
    } else if (addresses.isTrustedProxy(address) || count(request, address)) {
      answer.run();
    } else {
      refuse(request, address, tooManyHandshakes().with(cors));
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
    Acquisition acquired = node.acquire(client.address());
    // Read behind it: a drain that does not see the connection is seen here.
    Refusal refusal = node.refusal();
    if (acquired instanceof Lease lease) {
      if (refusal == null) {
        handOver(request, status, headers, client, lease);
        return null;
      }
      lease.close();
    } else if (refusal == null) {
      refusal = refusal((Limit) acquired);
    }
    client.stopReading();
    return refusal;
  }

  private static Refusal refusal(Limit limit) {
    return limit.key().equals(LimitSettings.ADDRESS_CONNECTIONS.key())
        ? Refusal.tooMany(limit.problem())
        : Refusal.unavailable(limit.problem());
  }

  private void handOver(
      HttpServerRequest request,
      String status,
      Map<String, String> headers,
      ClientConnection client,
      Lease lease) {
    client.onAdmitted(lease);
    Channel channel = SocketHandover.channel(request.connection());
    connections.handshakes().onAdmitted(channel);
    try {
      if (takeover.take(request, status, headers, client)) {
        connections.handshakes().remove(channel);
      }
    } finally {
      if (!client.isOpen()) {
        client.stopReading();
        lease.close();
      }
    }
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
