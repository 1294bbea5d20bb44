package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SendProgress;
import io.sluice.gateway.websocket.CloseCode;
import java.util.function.Function;

/**
 * Connection of one client without WebSocket frames: bytes pass unchanged in both directions. The
 * protocol of the client detects whether it is alive. Bound to its event loop.
 */
public final class RawConnection extends ClientConnection {
  private final boolean response;
  private long openedMs;
  private long lastReadMs;

  /**
   * @param response whether the bytes are an HTTP response, without further input
   * @param listeners creates the listener, whose {@code onBinary} receives the input
   */
  RawConnection(
      LoopState loop,
      String address,
      boolean response,
      Function<Connection, ConnectionListener> listeners) {
    super(loop, address, listeners);
    this.response = response;
  }

  @Override
  public void onOpen(ClientSocket opened) {
    super.onOpen(opened);
    openedMs = loop.nowMs();
    lastReadMs = openedMs;
    if (response) {
      loop.addStreams(1);
    }
    openListener();
  }

  @Override
  public void onClosed() {
    if (response) {
      loop.addStreams(-1);
    }
    super.onClosed();
  }

  @Override
  public boolean isStream() {
    return response;
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    if (response || isClosing()) {
      return;
    }
    long nowMs = loop.nowMs();
    chargeFrames(nowMs - lastReadMs, 0);
    lastReadMs = nowMs;
    listener.onBinary(bytes);
  }

  @Override
  ByteBuf closeFrame(int code, String reason) {
    return listener.lastBytes(code);
  }

  @Override
  void ping() {
    // A message of the protocol.
  }

  @Override
  CloseCode overdue(long nowMs) {
    if (!listener.isOpen() && nowMs - openedMs > loop.limits().handshakeMs()) {
      return CloseCode.NOT_OPENED;
    }
    return response && isStalled() ? CloseCode.SLOW_CONSUMER : null;
  }

  // A client that sends nothing is alive as long as it reads; TCP ends a connection to a lost host.
  private boolean isStalled() {
    return pendingBytes() > 0 && progress(loop.limits().idleMs()) == SendProgress.STALLED;
  }
}
