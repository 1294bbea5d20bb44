package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.loadtest.load.frame.FrameParser;
import io.sluice.loadtest.load.frame.FrameScanner;
import io.sluice.loadtest.load.frame.MaskedFrame;

/**
 * Conversation over a WebSocket, which answers ping and close frames. Bound to the client's event
 * loop.
 */
abstract class SocketConversation implements Conversation, FrameScanner.Listener {
  private static final int NORMAL = 1000;
  private static final int NO_CODE = 1005;

  private final Conversation.Listener listener;

  SocketConversation(Conversation.Listener listener) {
    this.listener = listener;
  }

  /** Returns the parser of the server's frames. */
  abstract FrameParser frames();

  Conversation.Listener listener() {
    return listener;
  }

  @Override
  public String read(ByteBuf in, ByteBuf scratch) {
    return frames().read(in, scratch, this);
  }

  @Override
  public void end(ByteBuf out) {
    writeClose(out, NORMAL);
  }

  @Override
  public void onData(long payloadBytes) {
    listener.onData(payloadBytes);
  }

  @Override
  public void onPing(ByteBuf bytes, int start, int count) {
    ByteBuf out = listener.out();
    MaskedFrame.write(out, MaskedFrame.PONG, ByteBufUtil.getBytes(bytes, start, count));
    listener.send(out);
  }

  @Override
  public void onClose(int code) {
    ByteBuf out = listener.out();
    writeClose(out, code);
    listener.send(out);
    listener.onClosed("was closed with " + code);
  }

  @Override
  public void close() {
    frames().close();
  }

  private static void writeClose(ByteBuf out, int code) {
    byte[] payload = {(byte) (code >> Byte.SIZE), (byte) code};
    MaskedFrame.write(out, MaskedFrame.CLOSE, code == NO_CODE ? new byte[0] : payload);
  }
}
