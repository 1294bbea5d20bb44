package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.drain.DrainableConnection;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.PermissionLoss;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SendProgress;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.FrameDecoder;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Connection of one client after the HTTP handshake: outgoing frames and the closing handshake.
 * Subclasses process incoming data. Bound to the client's event loop.
 *
 * <p>The connection is closed by a close frame behind the queued data. The client then has {@code
 * timeouts.close} to end the connection. During that time its data is read and discarded: a socket
 * closed with unread data resets the connection, and the close frame may be lost.
 */
abstract class ClientConnection implements Connection, DrainableConnection, ClientSocket.Owner {
  /** Close code of a connection that ended without a close frame; never sent. */
  static final int ABNORMAL = 1006;

  private static final int NO_CLOSE = 0;

  /** Burst of the frame rate limit, in milliseconds at the limit. */
  private static final int MAX_BURST_MS = 10_000;

  /** Maximum time of a pause whose frames may arrive at once, in milliseconds. */
  private static final int MAX_LATE_MS = 60_000;

  final LoopState loop;
  final ConnectionListener listener;
  private String address;

  /** Null until the node has admitted it. */
  private Lease lease;

  private ClientSocket socket;
  private long nextPingMs;
  private long closeDeadlineMs;
  private int closeCode = NO_CLOSE;

  /** Level of the leaky bucket of {@link #chargeFrames}; negative after a pause of the node. */
  private int bucketMilliFrames;

  private boolean listenerClosed;
  private boolean drainNotified;

  /** Index in the {@link ConnectionTable} of the loop. */
  int index;

  /**
   * @param address the client's
   * @param listeners creates the listener for the messages
   */
  ClientConnection(
      LoopState loop, String address, Function<Connection, ConnectionListener> listeners) {
    this.loop = loop;
    this.address = address;
    this.listener = listeners.apply(this);
  }

  @Override
  public void onOpen(ClientSocket opened) {
    nextPingMs = loop.firstPing(loop.nowMs());
    loop.add(this);
    socket = opened;
  }

  /** Returns the id of the client's session; empty if it is not open yet. */
  final String sessionId() {
    return listener.sessionId();
  }

  /** Sets the lease, which is closed with the connection. */
  final void onAdmitted(Lease acquired) {
    lease = acquired;
    if (acquired.address().equals(address)) {
      address = acquired.address(); // one string for all connections of the address
    }
  }

  @Override
  public final Lease lease() {
    return lease;
  }

  @Override
  public void onClosed() {
    try {
      stopReading();
      loop.remove(this, closeCode == NO_CLOSE ? ABNORMAL : closeCode);
      closeListener();
    } finally {
      closeLease();
    }
  }

  private void closeLease() {
    if (lease != null) {
      lease.close();
    }
  }

  /**
   * Charges frames to the client's frame rate limit. Closes the connection if it exceeds the limit.
   *
   * <p>A leaky bucket. It counts thousandths of a frame, so that a millisecond's leakage is not
   * rounded to zero.
   *
   * @param elapsedMs time since the last call
   * @param milliFrames thousandths of a frame received since then
   */
  final void chargeFrames(long elapsedMs, int milliFrames) {
    long framesPerSecond = loop.limits().framesPerSecond();
    if (framesPerSecond == 0 || isClosing()) {
      return;
    }
    long unleaked =
        bucketMilliFrames <= 0
            ? bucketMilliFrames
            : Math.max(0, bucketMilliFrames - elapsedMs * framesPerSecond);
    bucketMilliFrames = (int) Math.min(Integer.MAX_VALUE, unleaked + milliFrames);
    long burstMs = MAX_BURST_MS + Math.min(MAX_LATE_MS, loop.lateMs());
    if (bucketMilliFrames > Math.min(Integer.MAX_VALUE - 1, framesPerSecond * burstMs)) {
      loop.onLimit(LimitSettings.FRAME_RATE.key());
      if (!listener.closes(CloseCode.TOO_FAST)) {
        close(CloseCode.TOO_FAST);
      }
    }
  }

  // The frames of a pause arrive at once, when the loop runs again.
  private void leakFrames(long lateMs) {
    long leaked = Math.min(MAX_LATE_MS, lateMs) * loop.limits().framesPerSecond();
    long least = Math.max(Integer.MIN_VALUE, -leaked);
    bucketMilliFrames = (int) Math.max(least, bucketMilliFrames - leaked);
  }

  /** Ignores input: that of a stream is in the request. */
  @Override
  public void onBytes(ByteBuf bytes) {}

  /**
   * Releases the buffered input and delivers no more of it. Can be called again, and before {@link
   * #onOpen}.
   */
  void stopReading() {}

  /** Opens the listener soon, unless the client disconnects before. */
  final void openListener() {
    execute(
        () -> {
          if (!listenerClosed) {
            listener.onOpen();
          }
        });
  }

  private void closeListener() {
    if (!listenerClosed) {
      listenerClosed = true;
      listener.onClosed();
    }
  }

  @Override
  public final void onFault(Throwable cause) {
    if (cause instanceof IOException) {
      loop.onFault(sessionId(), cause);
      socket.close();
    } else {
      loop.onInternalError(sessionId(), cause);
      stopReading(); // the decoder is in an undefined state
      close(CloseCode.INTERNAL_ERROR);
    }
  }

  @Override
  public final void write(ByteBuf frame) {
    if (closeCode == NO_CLOSE) { // no frame may follow a close frame
      socket.write(frame);
    }
  }

  @Override
  public final void flush() {
    socket.flush();
  }

  @Override
  public final void flushInBatch() {
    socket.flushInBatch();
  }

  @Override
  public final void abort() {
    socket.abort();
  }

  @Override
  public final long pendingBytes() {
    return socket.pendingBytes();
  }

  /** Returns whether the client reads what was sent. */
  final SendProgress progress(long withinMs) {
    return socket.progress(withinMs);
  }

  @Override
  public final void close(CloseCode code) {
    close(code, code.reason());
  }

  final void close(CloseCode code, String reason) {
    if (!isClosing()) {
      ByteBuf frame = closeFrame(code.code(), reason);
      beginClosing(code.code());
      if (code == CloseCode.SLOW_CONSUMER) {
        socket.finishEarly(frame); // behind all queued data it would be too late
      } else {
        socket.finish(frame);
      }
      frame.release();
    }
  }

  /** Returns the last bytes of a connection that the node closes, owned by the caller. */
  ByteBuf closeFrame(int code, String reason) {
    ByteBuf frame = newControlFrame();
    WebSocketFrame.writeClose(frame, code, reason);
    return frame;
  }

  /**
   * Begins to close.
   *
   * @param code for the metrics
   * @param closeFrame last frame to send; released here
   */
  final void finish(int code, ByteBuf closeFrame) {
    beginClosing(code);
    socket.finish(closeFrame);
    closeFrame.release();
  }

  private void beginClosing(int code) {
    closeCode = code;
    extendCloseDeadline();
    // In a later task, because the hub may be iterating over its lists now.
    execute(this::closeListener);
  }

  // The client's time restarts when the kernel has taken the close frame, which can be late.
  @Override
  public void onFinished(boolean halfClosed) {
    extendCloseDeadline();
  }

  private void extendCloseDeadline() {
    closeDeadlineMs = loop.nowMs() + loop.limits().closeMs();
  }

  @Override
  public final String address() {
    return address;
  }

  @Override
  public final void execute(Runnable task) {
    socket.execute(task);
  }

  /** Closes the connection at once, without a close frame. */
  final void closeNow() {
    socket.close();
  }

  /**
   * Notifies the client that the node drains.
   *
   * @param url of its redirect target, or null
   */
  @Override
  public final void notifyDraining(long deadlineMs, String url) {
    drainNotified = true;
    listener.onDraining(deadlineMs, url);
  }

  /** Ends the drain that the client was notified of. */
  final void endDrain() {
    drainNotified = false;
  }

  @Override
  public final boolean isDrainNotified() {
    return drainNotified;
  }

  /** Returns whether the client can be redirected now. A drain notifies all clients by itself. */
  @Override
  public final boolean isMovable(RedirectReason reason) {
    return isMovable() && listener.isMovable(reason);
  }

  @Override
  public final boolean isMovable() {
    return !loop.isDraining() && !isClosing();
  }

  /** Redirects the client. To be called only if {@link #isMovable} returns true. */
  @Override
  public final void redirect(String url, RedirectReason reason) {
    listener.onRedirect(url, reason);
  }

  /** Returns whether this code means that the client closed the connection in order. */
  @Override
  public boolean isOrderlyClose(int code) {
    // The client of a stream can only close the connection; it sends no close frame.
    return code == CloseCode.NORMAL.code() || isStream() && code == ABNORMAL;
  }

  final boolean onReload() {
    return listener.onReload();
  }

  final PermissionLoss loss(SessionPolicy next) {
    return isClosing() ? null : listener.loss(next);
  }

  final boolean onRevoked(Predicate<Peer> revoked) {
    return listener.onRevoked(revoked);
  }

  /** Returns the time of the latest ping, or of one that precedes the first. */
  final long pingedMs() {
    return nextPingMs - loop.limits().pingMs();
  }

  /** Returns the session for operators, or null if it is not open or closes. */
  final ClientView view() {
    return isClosing() ? null : listener.view();
  }

  /** Returns whether it has a socket, whose end will close the lease. */
  final boolean isOpen() {
    return socket != null;
  }

  @Override
  public final boolean isClosing() {
    return closeCode != NO_CLOSE;
  }

  @Override
  public final String endReason() {
    return isClosing() ? CloseCode.word(closeCode) : LOST;
  }

  /**
   * Checks all time limits. Called periodically by the loop.
   *
   * @param nowMs time of the loop's clock
   * @param lateMs delay of this tick, during which the clock was stopped
   * @param judges false for the first tick after a pause, which checks only credentials
   */
  final void onTick(long nowMs, long lateMs, boolean judges) {
    if (lateMs > 0) {
      leakFrames(lateMs);
    }
    if (isClosing()) {
      if (judges && nowMs >= closeDeadlineMs) {
        socket.close();
      }
      return;
    }
    CloseCode expired = listener.expiryCode();
    if (expired != null) {
      close(expired);
    } else if (judges) {
      onTickOpen(nowMs);
    }
  }

  // Received bytes in the kernel are read before the client is checked.
  private void onTickOpen(long nowMs) {
    CloseCode overdue = overdue(nowMs);
    if (overdue != null) {
      boolean open = socket.readReceived() && !isClosing();
      overdue = open ? overdue(nowMs) : null;
      if (!open) {
        return;
      }
    }
    if (overdue != null) {
      close(overdue);
    } else if (nowMs >= nextPingMs) {
      nextPingMs = nowMs + loop.limits().pingMs();
      ping();
      listener.onPing();
    }
  }

  /** Sends a ping. */
  void ping() {
    socket.write(loop.ping());
    socket.flush();
  }

  @Override
  public final void charge(int frames) {
    chargeFrames(0, frames * FrameDecoder.MILLI_FRAME);
  }

  /** Returns the code with which the connection must be closed now, or null. */
  abstract CloseCode overdue(long nowMs);

  static ByteBuf newControlFrame() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(WebSocketFrame.MAX_CONTROL_PAYLOAD + 2);
  }
}
