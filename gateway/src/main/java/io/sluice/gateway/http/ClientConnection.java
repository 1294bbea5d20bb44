package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.drain.DrainableConnection;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.WebSocketFrame;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.MoveReason;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.sluice.gateway.socket.ClientSocket;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One client's connection once HTTP has left it, on whichever socket: what goes out, and the end.
 * What comes in is the subclasses' affair. Bound to the client's event loop.
 *
 * <p>It closes behind what is queued, by a close frame; then the client has {@code timeouts.close}
 * to end the connection, in which its data is read and dropped, because a socket closed on unread
 * data resets the connection and takes the close frame with it.
 */
abstract class ClientConnection implements Connection, DrainableConnection, ClientSocket.Owner {
  /** The code of a connection that ended without a close frame; never on the wire. */
  static final int ABNORMAL = 1006;

  private static final int NO_CLOSE = 0;

  /** Burst of the frame rate limit, in seconds at the limit. */
  private static final int MAX_BURST_SECONDS = 10;

  final LoopState siblings;
  final ConnectionListener listener;
  private String address;

  /** Null until the node has admitted it. */
  private Lease lease;

  private ClientSocket wire;
  private long nextPingMs;
  private long cutMs;
  private int closeCode = NO_CLOSE;

  /** Level of the leaky bucket of {@link #chargeFrames}. */
  private int bucketMilliFrames;

  private boolean listenerRetired;
  private boolean toldToLeave;

  /** Where the loop keeps this connection. */
  int slot;

  /**
   * @param address the client's
   * @param listeners makes the owner of the messages
   */
  ClientConnection(
      LoopState siblings, String address, Function<Connection, ConnectionListener> listeners) {
    this.siblings = siblings;
    this.address = address;
    this.listener = listeners.apply(this);
  }

  @Override
  public void onOpen(ClientSocket opened) {
    nextPingMs = siblings.firstPing(siblings.nowMs());
    siblings.add(this);
    wire = opened;
  }

  /** The node has admitted it; its end closes the lease. */
  final void onAdmitted(Lease its) {
    lease = its;
    if (its.address().equals(address)) {
      address = its.address(); // one text for all connections of the address
    }
  }

  @Override
  public final Lease lease() {
    return lease;
  }

  @Override
  public void onGone() {
    try {
      stopReading();
      siblings.remove(this, closeCode == NO_CLOSE ? ABNORMAL : closeCode);
      retireListener();
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
    long framesPerSecond = siblings.limits().framesPerSecond();
    if (framesPerSecond == 0 || isClosing()) {
      return;
    }
    long unleaked = Math.max(0, bucketMilliFrames - elapsedMs * framesPerSecond);
    bucketMilliFrames = (int) (unleaked + milliFrames);
    if (bucketMilliFrames > framesPerSecond * 1000 * MAX_BURST_SECONDS) {
      siblings.onLimit(LimitSettings.FRAME_RATE.key());
      close(CloseCode.TOO_FAST);
    }
  }

  /**
   * Gives back what is held of what the client has said, and hands nothing more of it on. Can be
   * called again, and before {@link #onOpen}.
   */
  abstract void stopReading();

  private void retireListener() {
    if (!listenerRetired) {
      listenerRetired = true;
      listener.onClosed();
    }
  }

  @Override
  public final void onFault(Throwable cause) {
    if (cause instanceof IOException) {
      siblings.onFault(cause);
      wire.close();
    } else {
      siblings.onBug(cause);
      stopReading(); // it stands where it failed
      close(CloseCode.INTERNAL_ERROR);
    }
  }

  @Override
  public final void write(ByteBuf frame) {
    if (closeCode == NO_CLOSE) { // nothing follows a close frame
      wire.write(frame);
    }
  }

  @Override
  public final void flush() {
    wire.flush();
  }

  @Override
  public final void flushInBatch() {
    wire.flushInBatch();
  }

  @Override
  public final long pendingBytes() {
    return wire.pendingBytes();
  }

  @Override
  public final void close(CloseCode code) {
    close(code, code.reason());
  }

  final void close(CloseCode code, String reason) {
    if (!isClosing()) {
      ByteBuf frame = newControlFrame();
      WebSocketFrame.writeClose(frame, code.code(), reason);
      beginClosing(code.code());
      if (code == CloseCode.SLOW_CONSUMER) {
        wire.finishEarly(frame); // behind all that is queued it would come too late
      } else {
        wire.finish(frame);
      }
      frame.release();
    }
  }

  /**
   * Begins the end.
   *
   * @param code for the metrics
   * @param closeFrame the last that is sent; released here
   */
  final void finish(int code, ByteBuf closeFrame) {
    beginClosing(code);
    wire.finish(closeFrame);
    closeFrame.release();
  }

  private void beginClosing(int code) {
    closeCode = code;
    delayCut();
    // The hub may be walking its lists right now, so the listener retires a moment later.
    execute(this::retireListener);
  }

  // The client's time begins anew when the kernel has the close frame, which can be late.
  @Override
  public void onFinished(boolean halfClosed) {
    delayCut();
  }

  private void delayCut() {
    cutMs = siblings.nowMs() + siblings.limits().closeMs();
  }

  @Override
  public final String address() {
    return address;
  }

  @Override
  public final void execute(Runnable task) {
    wire.execute(task);
  }

  /** Ends the connection without a word. */
  final void cut() {
    wire.close();
  }

  /**
   * The node drains, and it is this client's turn.
   *
   * @param url where it should go, or null
   */
  @Override
  public final void onTurnToLeave(long deadlineMs, String url) {
    toldToLeave = true;
    listener.onDraining(deadlineMs, url);
  }

  @Override
  public final boolean isToldToLeave() {
    return toldToLeave;
  }

  /** Whether the client can be sent to a better place now; a drain tells each at its turn. */
  @Override
  public final boolean isMovable(MoveReason reason) {
    return !siblings.isDraining() && !isClosing() && listener.isMovable(reason);
  }

  /** There is a better place for the client, which {@link #isMovable}. */
  @Override
  public final void onBetterPlace(String url, MoveReason reason) {
    listener.onBetterPlace(url, reason);
  }

  /** Whether a connection that ended with this code was one that the client had done with. */
  @Override
  public boolean isFarewell(int code) {
    return code == CloseCode.NORMAL.code();
  }

  final boolean onRevoked(Predicate<Peer> revoked) {
    return listener.onRevoked(revoked);
  }

  final SessionSummary summary(SessionQuery query) {
    return listener.summary(query);
  }

  /** Whether a socket has taken it, so that its loop will give its place back. */
  final boolean isOpen() {
    return wire != null;
  }

  @Override
  public final boolean isClosing() {
    return closeCode != NO_CLOSE;
  }

  /** Looks after everything that depends on time; called again and again by the loop. */
  final void onTick(long nowMs) {
    if (!isClosing()) {
      onTickOpen(nowMs);
    } else if (nowMs >= cutMs) {
      wire.close();
    }
  }

  private void onTickOpen(long nowMs) {
    CloseCode overdue = overdue(nowMs);
    if (overdue == null) {
      overdue = listener.overdue();
    }
    if (overdue != null) {
      close(overdue);
    } else if (nowMs >= nextPingMs) {
      nextPingMs = nowMs + siblings.limits().pingMs();
      wire.write(siblings.ping());
      wire.flush();
      listener.onPing();
    }
  }

  /** Why the connection has to close now, or null if it may stay. */
  abstract CloseCode overdue(long nowMs);

  static ByteBuf newControlFrame() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(WebSocketFrame.MAX_CONTROL_PAYLOAD + 2);
  }
}
