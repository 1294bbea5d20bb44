package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SendProgress;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.Future;
import java.util.function.Function;

/**
 * Connection of a session that ends with the response to one request. Its frames are collected; the
 * request's own connection remains with Vert.x. Bound to its event loop.
 */
final class ResponseConnection extends ClientConnection {
  private final EventLoop eventLoop;
  private AcceptedConnection transport;
  private boolean ended;

  /** Completes when the response is sent; null before it is complete. */
  private Future<Void> sent;

  private long answeredMs;

  /**
   * @param client creates the client that collects the response
   */
  ResponseConnection(
      LoopState loop,
      EventLoop eventLoop,
      String address,
      Function<Connection, ? extends ResponseClient> client) {
    super(loop, address, client::apply);
    this.eventLoop = eventLoop;
  }

  /** Begins the session of a request that was received on a connection. */
  void begin(AcceptedConnection receivedOn) {
    transport = receivedOn;
    loop.handshakes().suspend(transport);
    onOpen(new Memory());
    openListener();
  }

  /** Ends the session, but not its connection before the client has read the response. */
  void onAnswered(Future<Void> sending) {
    sent = sending;
    answeredMs = loop.nowMs();
    sending.onComplete(any -> onSent());
  }

  private void onSent() {
    if (isClosing()) {
      abort();
    }
  }

  private boolean isSending() {
    return sent != null
        && !sent.isComplete()
        && !loop.stopped
        && loop.nowMs() - answeredMs < loop.limits().idleMs();
  }

  private ResponseClient client() {
    return (ResponseClient) listener;
  }

  @Override
  public void onClosed() {
    loop.handshakes().resume(transport, loop.nowMs());
    super.onClosed();
  }

  @Override
  public boolean isStream() {
    return true;
  }

  @Override
  ByteBuf closeFrame(int code, String reason) {
    return Unpooled.EMPTY_BUFFER;
  }

  @Override
  void ping() {
    // The client has sent one request only.
  }

  /** Returns null: the client bounds the time of its response. */
  @Override
  CloseCode overdue(long nowMs) {
    return null;
  }

  /** Socket without a peer. */
  private final class Memory implements ClientSocket {
    @Override
    public void write(ByteBuf bytes) {
      client().onMessages(bytes);
    }

    @Override
    public void flush() {
      // Nothing waits.
    }

    @Override
    public void flushInBatch() {
      // Nothing waits.
    }

    // More than any limit: a replay stops.
    @Override
    public long pendingBytes() {
      return !ended && client().isFull() ? Integer.MAX_VALUE : 0;
    }

    @Override
    public void finish(ByteBuf last) {
      abort();
    }

    @Override
    public void finishEarly(ByteBuf last) {
      abort();
    }

    @Override
    public boolean readReceived() {
      return !ended;
    }

    @Override
    public SendProgress progress(long withinMs) {
      return SendProgress.NONE;
    }

    @Override
    public void abort() {
      execute(this::close);
    }

    @Override
    public void close() {
      if (!ended && !isSending()) {
        ended = true;
        onClosed();
      }
    }

    @Override
    public void execute(Runnable task) {
      eventLoop.execute(task);
    }
  }
}
