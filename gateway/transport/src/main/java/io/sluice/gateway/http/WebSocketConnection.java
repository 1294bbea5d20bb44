package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.CloseStatus;
import io.sluice.gateway.websocket.FrameDecoder;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.function.Function;

/**
 * WebSocket connection of one client after the upgrade: its frames and time limits. Bound to the
 * client's event loop.
 */
final class WebSocketConnection extends ClientConnection implements FrameDecoder.Sink {
  /** Approximate size at which batched pongs are sent. */
  private static final int PONGS_BYTES = 4 * 1024;

  private final FrameDecoder decoder;
  private ByteBuf pongs;
  private long openedMs;
  private long lastReadMs;

  /** State of {@link SmoothedRtt}. */
  private int rtt = SmoothedRtt.NONE;

  /** True while the latest ping is not answered: other pongs are heartbeats of the client. */
  private boolean pongDue;

  private boolean closedByClient;
  private boolean closeSent;

  /**
   * @param address the client's
   * @param deflate whether the handshake agreed on permessage-deflate
   * @param listeners creates the listener for the messages
   */
  WebSocketConnection(
      LoopState loop,
      String address,
      boolean deflate,
      Function<Connection, ConnectionListener> listeners) {
    super(loop, address, listeners);
    this.decoder =
        new FrameDecoder(loop.limits().frames(), deflate ? loop.inflation() : null, this);
  }

  @Override
  public void onOpen(ClientSocket opened) {
    openedMs = loop.nowMs();
    lastReadMs = openedMs;
    super.onOpen(opened);
    listener.onOpen();
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    try {
      decoder.read(bytes);
    } finally {
      sendPongs();
    }
    long nowMs = loop.nowMs();
    chargeFrames(nowMs - lastReadMs, decoder.takeMilliFrames());
    lastReadMs = nowMs;
  }

  @Override
  void stopReading() {
    decoder.stop();
  }

  @Override
  public void onText(ByteBuf payload) {
    sendPongs();
    listener.onText(payload);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    sendPongs();
    listener.onBinary(payload);
  }

  @Override
  public void onPing(ByteBuf payload) {
    if (pendingBytes() > loop.limits().maxPendingBytes()) {
      close(CloseCode.SLOW_CONSUMER);
    } else if (!isClosing()) {
      pong(payload);
    }
  }

  private void pong(ByteBuf payload) {
    if (pongs == null) {
      pongs = newControlFrame();
    }
    WebSocketFrame.writeControl(pongs, WebSocketFrame.PONG, payload);
    if (pongs.readableBytes() >= PONGS_BYTES) {
      sendPongs();
    }
  }

  private void sendPongs() {
    if (pongs == null) {
      return;
    }
    ByteBuf frames = pongs;
    pongs = null;
    try {
      write(frames); // no effect while closing
      flush();
    } finally {
      frames.release();
    }
  }

  @Override
  void ping() {
    super.ping();
    pongDue = true;
  }

  @Override
  public void onPong(ByteBuf payload) {
    if (pongDue) {
      pongDue = false;
      rtt = SmoothedRtt.next(rtt, loop.nowMs() - pingedMs()); // onBytes sets lastReadMs
    }
  }

  @Override
  public int rttMs() {
    return SmoothedRtt.ms(rtt);
  }

  // Derived from the time of the latest bytes: a field would cost each connection.
  @Override
  public long unansweredPingMs() {
    if (!pongDue) {
      return ClientView.NO_PING;
    }
    long pingMs = loop.limits().pingMs();
    long earlier = Math.max(0, pingedMs() - lastReadMs) / pingMs;
    return loop.nowMs() - pingedMs() + earlier * pingMs;
  }

  @Override
  public void onClose(int code, String reason) {
    sendPongs();
    closedByClient = true;
    if (!isClosing()) {
      listener.onClosedByClient(code);
      ByteBuf answer = newControlFrame();
      if (code == CloseStatus.NONE) {
        WebSocketFrame.writeClose(answer);
      } else {
        WebSocketFrame.writeClose(answer, code, "");
      }
      finish(code, answer);
    } else if (closeSent) {
      closeNow();
    }
  }

  @Override
  public void onViolation(CloseCode code, String why) {
    sendPongs();
    close(code, why);
  }

  // The sending direction is closed. The client closes the other one, or the deadline expires.
  @Override
  public void onFinished(boolean halfClosed) {
    super.onFinished(halfClosed);
    closeSent = true;
    if (!halfClosed && closedByClient) {
      closeNow();
    }
  }

  @Override
  CloseCode overdue(long nowMs) {
    if (!listener.isOpen() && nowMs - openedMs > loop.limits().handshakeMs()) {
      return CloseCode.NOT_OPENED;
    }
    return nowMs - lastReadMs > loop.limits().idleMs() ? silent(nowMs) : null;
  }

  // A client that lags cannot answer a ping that is behind the data which it still reads.
  private CloseCode silent(long nowMs) {
    long idleMs = loop.limits().idleMs();
    return switch (progress(idleMs)) {
      case NONE -> CloseCode.IDLE;
      case STALLED -> CloseCode.SLOW_CONSUMER;
      case ADVANCING -> {
        lastReadMs =
            nowMs - idleMs + Math.min(idleMs, loop.limits().pingMs()); // checked again then
        yield null;
      }
    };
  }
}
