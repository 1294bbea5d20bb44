package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.websocket.FrameDecoder;
import java.util.function.Function;

/**
 * One client whose frames leave in the body of an HTTP answer: docs/PROTOCOL.md, section 10. It has
 * said everything in its request; what comes later is dropped. Since it answers nothing, nobody can
 * tell whether it is still there, and so it has a time to live. Bound to its event loop.
 */
final class StreamConnection extends ClientConnection {
  /** What one client says before the others of its loop have their turn: as a WebSocket's read. */
  private static final int TURN_BYTES = 16 * 1024;

  /** What even an empty line costs, in bytes of others. */
  private static final int LINE_BYTES = 64;

  private final RequestBody body;
  private long endMs;
  private long lastTurnMs;

  /**
   * @param address the client's
   * @param body what the client has said, whole; closed by this connection
   * @param listeners makes the owner of the messages
   */
  StreamConnection(
      LoopState siblings,
      String address,
      RequestBody body,
      Function<Connection, ConnectionListener> listeners) {
    super(siblings, address, listeners);
    this.body = body;
  }

  @Override
  public void onOpen(ClientSocket opened) {
    super.onOpen(opened);
    lastTurnMs = siblings.nowMs();
    endMs = siblings.streamEnd(lastTurnMs);
    siblings.streams(1);
    execute(this::readOn); // the answer's header goes first
  }

  @Override
  public void onGone() {
    siblings.streams(-1);
    super.onGone();
  }

  private void readOn() {
    try {
      leakPace();
      int read = 0;
      while (read < TURN_BYTES) {
        ByteBuf line = isClosing() ? null : body.nextLine();
        if (line == null) {
          onInputEnd();
          return;
        }
        read += line.readableBytes() + LINE_BYTES;
        onLine(line);
      }
      execute(this::readOn);
    } catch (RuntimeException e) {
      onFault(e);
    }
  }

  private void leakPace() {
    long nowMs = siblings.nowMs();
    chargeFrames(nowMs - lastTurnMs, 0);
    lastTurnMs = nowMs;
  }

  private void onInputEnd() {
    stopReading();
    if (!isClosing()) {
      listener.onInputEnd();
    }
  }

  private void onLine(ByteBuf line) {
    int most = siblings.limits().frames().maxMessageBytes();
    chargeFrames(0, FrameDecoder.MILLI_FRAME);
    if (isClosing()) {
      return;
    }
    if (line.readableBytes() > most) {
      close(CloseCode.TOO_BIG, "message is longer than " + most + " bytes");
    } else {
      listener.onText(line);
    }
  }

  @Override
  void stopReading() {
    body.close();
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    // Its request was the last that it may say.
  }

  // Its client has nothing to say it by but to end the connection.
  @Override
  public boolean isFarewell(int code) {
    return code == ABNORMAL || super.isFarewell(code);
  }

  @Override
  CloseCode overdue(long nowMs) {
    return nowMs >= endMs ? CloseCode.RENEW : null;
  }
}
