package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SendProgress;
import io.sluice.gateway.websocket.CloseCode;
import java.util.function.Predicate;

/** WebSocket of a simulated client, which records its notifications. Used by one thread. */
final class Guest {
  private final RecordingListener recorded = new RecordingListener();
  private final DiscardingSocket socket;
  private final WebSocketConnection connection;
  private int leftWith;

  /** Connects a client. */
  Guest(LoopState loop, EventLoop thread) {
    socket = new DiscardingSocket(thread);
    connection = new WebSocketConnection(loop, "192.0.2.1", false, own -> recorded);
    connection.onOpen(socket);
  }

  /** Closes the connection with a code. */
  void leave(int code) {
    leftWith = code;
    connection.onClose(code, "");
    connection.onClosed();
  }

  /** Returns the number of drain notifications and redirects. */
  int notifications() {
    return recorded.notifications;
  }

  /** Returns the number of calls of isMovable. */
  int movableChecks() {
    return recorded.movableChecks;
  }

  boolean isDrainNotified() {
    return recorded.notifications > 0;
  }

  /** Returns whether it was notified and then closed its connection in order. */
  boolean hasMoved() {
    return isDrainNotified() && leftWith == CloseCode.NORMAL.code();
  }

  /** Makes it follow redirects. */
  Guest movable() {
    recorded.movable = true;
    return this;
  }

  /** Makes it fail at every tick of its loop. */
  void failAtTicks() {
    recorded.failing = true;
  }

  /** Returns the number of ticks of its loop. */
  int ticks() {
    return recorded.ticks;
  }

  /** Returns its redirect target, or null. */
  String target() {
    return recorded.target;
  }

  /** Returns the close code of the node, or 0. */
  int closeCode() {
    return socket.closeCode;
  }

  private static final class RecordingListener implements ConnectionListener {
    private int notifications;
    private int movableChecks;
    private int ticks;
    private boolean failing;
    private String target;
    private boolean movable;

    @Override
    public boolean isMovable(RedirectReason reason) {
      movableChecks++;
      return movable;
    }

    @Override
    public void onRedirect(String url, RedirectReason reason) {
      notifications++;
      target = url;
      movable = false;
    }

    @Override
    public void onDraining(long deadlineMs, String url) {
      notifications++;
      target = url;
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
    public void onPing() {}
  }

  private static final class DiscardingSocket implements ClientSocket {
    private final EventLoop thread;
    private int closeCode;

    DiscardingSocket(EventLoop thread) {
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
    public void abort() {}

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public SendProgress progress(long withinMs) {
      return SendProgress.NONE;
    }

    @Override
    public boolean readReceived() {
      return true;
    }

    @Override
    public void close() {}

    @Override
    public void execute(Runnable task) {
      thread.execute(task);
    }
  }
}
