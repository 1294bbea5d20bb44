package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.handshake.UpgradeHead;
import io.sluice.gateway.socket.HandshakeSocket;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Upgrades of one event loop whose requests are read directly from their sockets. Any other request
 * is left to Vert.x, on a channel. Bound to the loop.
 */
final class DirectUpgrades implements HandshakeSocket.Listener {
  /** Endpoints for WebSockets. */
  @FunctionalInterface
  interface Endpoints {
    /** Returns the endpoint that serves a request directly; null: Vert.x serves it. */
    Consumer<HandshakeRequest> of(UpgradeHead head);
  }

  private final LoopState loop;
  private final Endpoints endpoints;
  private final int maxHeadBytes;
  private final Map<String, String> commonHeaders;

  /**
   * @param maxHeadBytes maximum size of a request that is served directly
   * @param commonHeaders of each response, except of that to an upgrade
   */
  DirectUpgrades(
      LoopState loop, Endpoints endpoints, int maxHeadBytes, Map<String, String> commonHeaders) {
    this.loop = loop;
    this.endpoints = endpoints;
    this.maxHeadBytes = maxHeadBytes;
    this.commonHeaders = commonHeaders;
  }

  @Override
  public void onAccepted(HandshakeSocket socket) {
    loop.handshakes().add(socket, loop.nowMs());
  }

  @Override
  public void onRequest(HandshakeSocket socket, ByteBuf bytes) {
    UpgradeHead head = UpgradeHead.parse(bytes, maxHeadBytes);
    Consumer<HandshakeRequest> endpoint = head == null ? null : endpoints.of(head);
    boolean direct = endpoint != null;
    if (direct) {
      endpoint.accept(new DirectRequest(socket, head, commonHeaders));
      bytes.skipBytes(head.length());
    }
    if (socket.isOpen()) { // not upgraded
      socket.continueOnChannel(bytes);
    } else if (direct) {
      socket.passOn(bytes);
    }
  }

  @Override
  public void onFault(Throwable cause) {
    if (cause instanceof IOException) {
      loop.onFault("", cause);
    } else {
      loop.onInternalError("", cause);
    }
  }

  @Override
  public void onClosed(HandshakeSocket socket) {
    loop.handshakes().remove(socket);
  }
}
