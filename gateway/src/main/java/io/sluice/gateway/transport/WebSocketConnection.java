package io.sluice.gateway.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.WebSocketFrame;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import java.io.IOException;
import java.util.function.Function;

/**
 * One client's WebSocket after the upgrade, on whichever wire. Bound to the client's event loop.
 *
 * <p>It closes as RFC 6455 asks: the node's close frame goes behind what is queued; then the client
 * has {@code timeouts.close} to answer, in which its data is read and dropped, because a socket
 * closed on unread data resets the connection and takes the close frame with it.
 */
final class WebSocketConnection implements Connection, FrameDecoder.Sink, Wire.Owner {
  private static final int NO_CLOSE = 0;

  /** The code of a connection that ended without a close frame; never on the wire. */
  private static final int ABNORMAL = 1006;

  private final LoopConnections siblings;
  private final FrameDecoder decoder;
  private final ConnectionListener listener;
  private Wire wire;
  private long openedMs;
  private long lastReadMs;
  private long nextPingMs;
  private long cutMs;
  private int closeCode = NO_CLOSE;
  private boolean closedByClient;
  private boolean closeSent;
  private boolean listenerRetired;

  /** Where the loop keeps this connection. */
  int slot;

  /**
   * @param deflate whether the handshake agreed on permessage-deflate
   * @param listeners makes the owner of the messages
   */
  WebSocketConnection(
      LoopConnections siblings,
      boolean deflate,
      Function<Connection, ConnectionListener> listeners) {
    this.siblings = siblings;
    this.decoder =
        new FrameDecoder(siblings.limits().frames(), deflate ? siblings.inflation() : null, this);
    this.listener = listeners.apply(this);
  }

  @Override
  public void onOpen(Wire opened) {
    openedMs = siblings.nowMs();
    lastReadMs = openedMs;
    nextPingMs = siblings.firstPing(openedMs);
    siblings.add(this);
    wire = opened;
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    lastReadMs = siblings.nowMs();
    decoder.read(bytes);
  }

  @Override
  public void onGone() {
    decoder.stop();
    siblings.remove(this, closeCode == NO_CLOSE ? ABNORMAL : closeCode);
    retireListener();
  }

  private void retireListener() {
    if (!listenerRetired) {
      listenerRetired = true;
      listener.onClosed();
    }
  }

  @Override
  public void onFault(Throwable cause) {
    if (cause instanceof IOException) {
      siblings.onFault(cause);
      wire.close();
    } else {
      siblings.onBug(cause);
      decoder.stop(); // it stands where it failed
      close(CloseCode.INTERNAL_ERROR);
    }
  }

  @Override
  public void onText(ByteBuf payload) {
    listener.onText(payload);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    listener.onBinary(payload);
  }

  @Override
  public void onPing(ByteBuf payload) {
    if (pendingBytes() > siblings.limits().maxPendingBytes()) {
      close(CloseCode.SLOW_CONSUMER);
    } else if (closeCode == NO_CLOSE) {
      pong(payload);
    }
  }

  @Override
  public void onPong(ByteBuf payload) {
    // The time of the read is all that counts.
  }

  @Override
  public void onClose(int code, String reason) {
    closedByClient = true;
    if (closeCode == NO_CLOSE) {
      beginClose(code);
      ByteBuf answer = newControlFrame();
      if (code == CloseStatus.NONE) {
        WebSocketFrame.writeClose(answer);
      } else {
        WebSocketFrame.writeClose(answer, code, "");
      }
      sendLast(answer);
    } else if (closeSent) {
      wire.close();
    }
  }

  @Override
  public void onViolation(CloseCode code, String why) {
    close(code, why);
  }

  @Override
  public void write(ByteBuf frame) {
    if (closeCode == NO_CLOSE) { // nothing follows a close frame
      wire.write(frame);
    }
  }

  @Override
  public void flush() {
    wire.flush();
  }

  @Override
  public void flushInBatch() {
    wire.flushInBatch();
  }

  @Override
  public long pendingBytes() {
    return wire.pendingBytes();
  }

  @Override
  public void close(CloseCode code) {
    close(code, code.reason());
  }

  private void close(CloseCode code, String reason) {
    if (closeCode != NO_CLOSE) {
      return;
    }
    beginClose(code.code());
    ByteBuf frame = newControlFrame();
    WebSocketFrame.writeClose(frame, code.code(), reason);
    sendLast(frame);
  }

  // The hub may be walking its lists right now, so the listener retires a moment later.
  private void beginClose(int code) {
    closeCode = code;
    cutMs = siblings.nowMs() + siblings.limits().closeMs();
    execute(this::retireListener);
  }

  private void sendLast(ByteBuf closeFrame) {
    wire.finish(closeFrame);
    closeFrame.release();
  }

  // Our direction is over. The other one stays open until the client ends it, too, or is cut.
  @Override
  public void onFinished(boolean halfClosed) {
    closeSent = true;
    if (!halfClosed && closedByClient) {
      wire.close();
    }
  }

  @Override
  public void execute(Runnable task) {
    wire.execute(task);
  }

  /** Ends the connection without a word. */
  void cut() {
    wire.close();
  }

  void onDraining(long deadlineMs) {
    listener.onDraining(deadlineMs);
  }

  /** Whether a wire has taken it, so that its loop will give its place back. */
  boolean isOpen() {
    return wire != null;
  }

  boolean isClosing() {
    return closeCode != NO_CLOSE;
  }

  /** Looks after everything that depends on time; called again and again by the loop. */
  void onTick(long nowMs) {
    if (isClosing()) {
      if (nowMs >= cutMs) {
        wire.close();
      }
    } else if (!listener.isOpen() && nowMs - openedMs > siblings.limits().handshakeMs()) {
      close(CloseCode.NOT_OPENED);
    } else if (nowMs - lastReadMs > siblings.limits().idleMs()) {
      close(CloseCode.IDLE);
    } else if (nowMs >= nextPingMs) {
      nextPingMs = nowMs + siblings.limits().pingMs();
      wire.write(siblings.ping());
      wire.flush();
      listener.onPing();
    }
  }

  private void pong(ByteBuf payload) {
    ByteBuf frame = newControlFrame();
    WebSocketFrame.writeControl(frame, WebSocketFrame.PONG, payload);
    wire.write(frame);
    wire.flush();
    frame.release();
  }

  private static ByteBuf newControlFrame() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(WebSocketFrame.MAX_CONTROL_PAYLOAD + 2);
  }
}
