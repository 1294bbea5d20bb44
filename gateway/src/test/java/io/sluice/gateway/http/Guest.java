package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.sluice.gateway.socket.ClientSocket;
import java.util.function.Predicate;

/** A client's WebSocket that goes nowhere, and remembers what it was told. One thread. */
final class Guest {
  private final Told told = new Told();
  private final Nowhere wire;
  private final WebSocketConnection connection;
  private int leftWith;

  /** Opens one. */
  Guest(LoopState loop, EventLoop thread) {
    wire = new Nowhere(thread);
    connection = new WebSocketConnection(loop, "192.0.2.1", false, own -> told);
    connection.onOpen(wire);
  }

  /** Closes its connection with this code, and ends it. */
  void leave(int code) {
    leftWith = code;
    connection.onClose(code, "");
    connection.onClosed();
  }

  /** How often it has heard that it is its turn to leave, or of a better place. */
  int timesTold() {
    return told.times;
  }

  /** How often it was asked whether it can be moved. */
  int timesLookedAt() {
    return told.looks;
  }

  boolean isDrainNotified() {
    return told.times > 0;
  }

  /** Whether it has left as it was told to. */
  boolean hasMoved() {
    return isDrainNotified() && leftWith == CloseCode.NORMAL.code();
  }

  /** From now on it follows redirects. */
  Guest movable() {
    told.movable = true;
    return this;
  }

  /** Fails from now on whenever its loop looks after its time limits. */
  void failAtTicks() {
    told.failing = true;
  }

  /** Returns the number of ticks of its loop. */
  int ticks() {
    return told.ticks;
  }

  /** Where it was sent, or null. */
  String place() {
    return told.place;
  }

  /** What the node has closed it with, or 0. */
  int closeCode() {
    return wire.closeCode;
  }

  private static final class Told implements ConnectionListener {
    private int times;
    private int looks;
    private int ticks;
    private boolean failing;
    private String place;
    private boolean movable;

    @Override
    public boolean isMovable(RedirectReason reason) {
      looks++;
      return movable;
    }

    @Override
    public void onRedirect(String url, RedirectReason reason) {
      times++;
      place = url;
      movable = false;
    }

    @Override
    public void onDraining(long deadlineMs, String url) {
      times++;
      place = url;
    }

    @Override
    public void onText(ByteBuf payload) {}

    @Override
    public void onBinary(ByteBuf payload) {}

    @Override
    public void onInputEnd() {}

    @Override
    public void onClosed() {}

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public CloseCode expiryCode() {
      ticks++;
      if (failing) {
        throw new IllegalStateException("a bug");
      }
      return null;
    }

    @Override
    public boolean onRevoked(Predicate<Peer> revoked) {
      return false;
    }

    @Override
    public SessionSummary summary(SessionQuery query) {
      return null;
    }

    @Override
    public void onPing() {}
  }

  private static final class Nowhere implements ClientSocket {
    private final EventLoop thread;
    private int closeCode;

    Nowhere(EventLoop thread) {
      this.thread = thread;
    }

    @Override
    public void finish(ByteBuf last) {
      closeCode = last.getUnsignedShort(last.readerIndex() + 2);
    }

    @Override
    public void finishEarly(ByteBuf last) {
      finish(last);
    }

    @Override
    public void write(ByteBuf bytes) {}

    @Override
    public void flush() {}

    @Override
    public void flushInBatch() {}

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public void close() {}

    @Override
    public void execute(Runnable task) {
      thread.execute(task);
    }
  }
}
