package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.FrameDecoder;
import java.util.function.Function;

/**
 * Connection of a client that sends and receives by several requests, at any connection. Its
 * protocol detects whether the client is alive. Bound to its event loop.
 */
public final class DetachedConnection extends ClientConnection {
  private long openedMs;
  private long lastReadMs;

  /**
   * @param listeners creates the client
   */
  DetachedConnection(
      LoopState loop, String address, Function<DetachedConnection, ConnectionListener> listeners) {
    super(loop, address, connection -> listeners.apply((DetachedConnection) connection));
  }

  void begin(EventLoop eventLoop, SessionOutput output) {
    openedMs = loop.nowMs();
    lastReadMs = openedMs;
    onOpen(new OutputSocket(eventLoop, output, this));
    openListener();
  }

  /** Passes a text of the client to its listener. */
  public void receive(ByteBuf text) {
    if (isClosing()) {
      return;
    }
    long nowMs = loop.nowMs();
    chargeFrames(nowMs - lastReadMs, FrameDecoder.MILLI_FRAME);
    lastReadMs = nowMs;
    try {
      listener.onText(text);
    } catch (RuntimeException e) {
      onFault(e);
    }
  }

  /** Ends the connection at once: the client has gone. */
  public void end() {
    closeNow();
  }

  @Override
  void stopReading() {
    // Nothing is buffered.
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    // The input is in requests.
  }

  @Override
  ByteBuf closeFrame(int code, String reason) {
    return Unpooled.EMPTY_BUFFER; // the client has sent the last frame
  }

  @Override
  void ping() {
    // A message of the protocol.
  }

  @Override
  public boolean isOrderlyClose(int code) {
    return code == ABNORMAL || super.isOrderlyClose(code);
  }

  @Override
  CloseCode overdue(long nowMs) {
    boolean late = !listener.isOpen() && nowMs - openedMs > loop.limits().handshakeMs();
    return late ? CloseCode.NOT_OPENED : null;
  }
}
