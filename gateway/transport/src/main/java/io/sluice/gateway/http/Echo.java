package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.function.Predicate;

/**
 * Listener that echoes every message: docs/PROTOCOL.md, section 9. Bound to its connection's event
 * loop.
 */
final class Echo implements ConnectionListener {
  private final Connection connection;
  private final ByteBufAllocator allocator;
  private final Deflation deflation;
  private final long maxPendingBytes;

  /**
   * @param deflation the loop's, or null if the client does not compress
   * @param maxPendingBytes bytes waiting to be sent past which the connection is closed
   */
  Echo(
      Connection connection,
      ByteBufAllocator allocator,
      Deflation deflation,
      long maxPendingBytes) {
    this.connection = connection;
    this.allocator = allocator;
    this.deflation = deflation;
    this.maxPendingBytes = maxPendingBytes;
  }

  @Override
  public void onText(ByteBuf payload) {
    echo(WebSocketFrame.TEXT, payload);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    echo(WebSocketFrame.BINARY, payload);
  }

  private void echo(int opcode, ByteBuf payload) {
    if (connection.pendingBytes() > maxPendingBytes) {
      connection.close(CloseCode.SLOW_CONSUMER);
      return;
    }
    ByteBuf content = deflation == null ? payload : deflation.deflate(payload);
    int length = content.readableBytes();
    ByteBuf frame = allocator.directBuffer(WebSocketFrame.headerBytes(length) + length);
    WebSocketFrame.writeHeader(frame, opcode, deflation != null, length);
    connection.write(frame.writeBytes(content, content.readerIndex(), length));
    connection.flush();
    frame.release();
  }

  @Override
  public void onInputEnd() {
    // Streams only.
  }

  @Override
  public CloseCode expiryCode() {
    return null;
  }

  @Override
  public boolean onRevoked(Predicate<Peer> revoked) {
    return false;
  }

  @Override
  public void onPing() {
    // Echo sends no messages by itself.
  }

  @Override
  public void onClosed() {
    // Echo has no state.
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void onDraining(long deadlineMs, String url) {
    // The client is notified by the close frame.
  }

  @Override
  public boolean isMovable(RedirectReason reason) {
    return false;
  }

  @Override
  public void onRedirect(String url, RedirectReason reason) {
    // It is not movable.
  }
}
