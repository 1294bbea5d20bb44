package io.sluice.gateway.http;

import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.limits.Acquisition;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Admission control for the requests of one event loop. Admits a client if the quotas of its
 * address and the node allow it. Bound to that loop.
 */
final class ClientAdmission {
  final NodeAdmission node;
  private final LoopState loop;
  private final RefusedHandshakes refusals;
  private final GatewayMetrics metrics;

  ClientAdmission(
      NodeAdmission node, LoopState loop, RefusedHandshakes refusals, GatewayMetrics metrics) {
    this.node = node;
    this.loop = loop;
    this.refusals = refusals;
    this.metrics = metrics;
  }

  /**
   * Checks whether a request may be processed, before any work is done for it.
   *
   * @param address the client's
   * @return the refusal, or null
   */
  Refusal check(HandshakeRequest request, String address) {
    if (node.isStopping()) {
      return node.refusal();
    }
    if (loop.isOverloaded()) {
      metrics.limitReached(LimitSettings.OVERLOAD_LAG.key());
      return Refusal.unavailable("overloaded", "this node is overloaded");
    }
    return count(request, address) ? null : tooManyHandshakes();
  }

  private Refusal tooManyHandshakes() {
    return Refusal.tooMany(node.handshakeLimit().problem());
  }

  private boolean count(HandshakeRequest request, String address) {
    boolean counted = loop.handshakes().useCharge(request.connection());
    return counted || node.takeHandshake(address);
  }

  /**
   * Answers a request for a page, unless its address exceeds the handshake rate. A trusted proxy's
   * own requests, such as health checks, are not counted. The response notifies the client if the
   * connection is about to be closed.
   *
   * @param cors headers of an error response
   */
  void answer(
      VertxRequest request, ClientAddresses addresses, Map<String, String> cors, Runnable answer) {
    if (loop.handshakes().isLastRequest(request.connection(), loop.nowMs())) {
      announceEnd(request);
    }
    String address = addresses.of(request.connection(), request::headers);
    if (node.isStopping()) {
      refuse(request, address, node.refusal().with(cors));
    } else if (addresses.isTrustedProxy(address) || count(request, address)) {
      HttpServerRequest page = request.request();
      page.response()
          .endHandler(
              ended -> {
                if (page.response().getStatusCode() >= 400) {
                  refusals.addPage(page.response().getStatusCode(), address, page.path());
                }
              });
      answer.run();
    } else {
      refuse(request, address, tooManyHandshakes().with(cors));
    }
  }

  private static void announceEnd(VertxRequest request) {
    if (request.isHttp2()) {
      request.request().connection().shutdown();
    } else {
      request.request().response().putHeader("Connection", "close");
    }
  }

  /**
   * Sends the response and hands the connection over to {@code client}. If a quota rejects it or
   * the connection has ended, nothing more is read for {@code client}. The handler of the request,
   * or of its end, must call this before it returns: see {@link
   * io.sluice.gateway.socket.SocketHandover}.
   *
   * @param status of the response's first line
   * @param headers all headers of the response
   * @return the refusal, or null
   */
  Refusal admit(
      HandshakeRequest request,
      String status,
      Map<String, String> headers,
      ClientConnection client) {
    return admit(client, lease -> handOver(request, status, headers, client, lease));
  }

  /**
   * Admits a session whose connection is not that of its request.
   *
   * @param begin begins the session
   * @return the refusal, or null
   */
  Refusal admit(ClientConnection client, Runnable begin) {
    return admit(
        client,
        lease -> {
          client.onAdmitted(lease);
          begin.run();
        });
  }

  private Refusal admit(ClientConnection client, Consumer<Lease> admitted) {
    Acquisition acquired = node.acquire(client.address());
    // Read after acquire: a drain that misses the connection is detected here.
    Refusal refusal = node.refusal();
    if (acquired instanceof Lease lease) {
      if (refusal == null) {
        admitted.accept(lease);
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
        : Refusal.unavailable("full", limit.problem());
  }

  private void handOver(
      HandshakeRequest request,
      String status,
      Map<String, String> headers,
      ClientConnection client,
      Lease lease) {
    client.onAdmitted(lease);
    loop.handshakes().onAdmitted(request.connection());
    try {
      if (request instanceof VertxRequest received && received.isHttp2()) {
        received.handOver(status, headers, new Http2Stream(loop, received, client));
      } else if (request.handOver(status, headers, client)) {
        loop.handshakes().remove(request.connection());
      }
    } finally {
      if (!client.isOpen()) {
        client.stopReading();
        lease.close();
      }
    }
  }

  /**
   * Answers with an error and counts the refusal.
   *
   * @param address the client's
   */
  void refuse(HandshakeRequest request, String address, Refusal refusal) {
    count(request, address, refusal);
    request.respond(refusal);
  }

  /**
   * Counts and logs a refusal.
   *
   * @param address the client's
   */
  void count(HandshakeRequest request, String address, Refusal refusal) {
    refusals.add(address, refusal, request.header("Origin"));
  }
}
