package io.sluice.loadtest.crowd;

import io.netty.buffer.ByteBuf;

/** What a {@link FrameScanner} finds. Buffers are lent for the call. */
interface FrameListener {
  /** The payload of a data frame has begun; it may be a fragment of a message. */
  void onData(long payloadBytes);

  /** A binary message has begun. */
  void onBinary();

  /** The beginning of a text message, or all of it. */
  void onText(ByteBuf bytes, int start, int count);

  /** A ping with its payload. */
  void onPing(ByteBuf bytes, int start, int count);

  /** A close frame with its code; 1005 if it has none. */
  void onClose(int code);
}
