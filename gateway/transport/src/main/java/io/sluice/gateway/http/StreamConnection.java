package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.FrameDecoder;
import java.util.function.Function;

/**
 * Connection of one client whose frames are sent in the body of an HTTP response: docs/PROTOCOL.md,
 * section 10. Bound to its event loop.
 *
 * <p>All input is in the request; later bytes are discarded. The client sends no pongs, so its
 * liveness cannot be checked; the stream has a maximum lifetime instead.
 */
final class StreamConnection extends ClientConnection {
  /** Input processed per task of the event loop; the same as one read of a WebSocket. */
  private static final int BATCH_BYTES = 16 * 1024;

  /** Fixed cost of a line, counted as bytes. */
  private static final int LINE_BYTES = 64;

  private final RequestBody body;
  private long endMs;
  private long lastBatchMs;

  /**
   * @param address the client's
   * @param body the complete request body; closed by this connection
   * @param listeners creates the listener for the messages
   */
  StreamConnection(
      LoopState loop,
      String address,
      RequestBody body,
      Function<Connection, ConnectionListener> listeners) {
    super(loop, address, listeners);
    this.body = body;
  }

  @Override
  public void onOpen(ClientSocket opened) {
    super.onOpen(opened);
    lastBatchMs = loop.nowMs();
    endMs = loop.streamEnd(lastBatchMs);
    loop.addStreams(1);
    execute(this::readBatch); // the response header is sent first
  }

  @Override
  public void onClosed() {
    loop.addStreams(-1);
    super.onClosed();
  }

  @Override
  public boolean isStream() {
    return true;
  }

  private void readBatch() {
    try {
      leakFrames();
      int read = 0;
      while (read < BATCH_BYTES) {
        ByteBuf line = isClosing() ? null : body.nextLine();
        if (line == null) {
          onInputEnd();
          return;
        }
        read += line.readableBytes() + LINE_BYTES;
        onLine(line);
      }
      execute(this::readBatch);
    } catch (RuntimeException e) {
      onFault(e);
    }
  }

  private void leakFrames() {
    long nowMs = loop.nowMs();
    chargeFrames(nowMs - lastBatchMs, 0);
    lastBatchMs = nowMs;
  }

  private void onInputEnd() {
    stopReading();
    if (!isClosing()) {
      listener.onInputEnd();
    }
  }

  private void onLine(ByteBuf line) {
    int maxBytes = loop.limits().frames().maxMessageBytes();
    chargeFrames(0, FrameDecoder.MILLI_FRAME);
    if (isClosing()) {
      return;
    }
    if (line.readableBytes() > maxBytes) {
      close(CloseCode.TOO_BIG, "message is longer than " + maxBytes + " bytes");
    } else {
      listener.onText(line);
    }
  }

  @Override
  void stopReading() {
    body.close();
  }

  @Override
  CloseCode overdue(long nowMs) {
    return nowMs >= endMs ? CloseCode.RENEW : null;
  }
}
