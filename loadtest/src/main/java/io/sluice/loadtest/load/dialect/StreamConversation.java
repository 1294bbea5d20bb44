package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.frame.FrameParser;

/**
 * Conversation whose frames may span or share WebSocket messages. Bound to the client's event loop.
 */
abstract class StreamConversation extends SocketConversation {
  StreamConversation(Conversation.Listener listener) {
    super(listener);
  }

  /** Returns the scanner, which passes the content of WebSocket messages on. */
  @Override
  abstract FrameParser frames();

  @Override
  public final void onBinary(ByteBuf bytes, int start, int count) {
    throw new IllegalStateException("the content was not passed on");
  }

  @Override
  public final void onText(ByteBuf bytes, int start, int count) {
    throw new IllegalStateException("the content was not passed on");
  }
}
