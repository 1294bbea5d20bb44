package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;

/**
 * Receiver of the frames of a session without a dedicated connection. Bound to the session's event
 * loop.
 */
public interface SessionOutput {
  /** Takes complete frames, which are borrowed during the call. */
  void write(ByteBuf frames);

  /** Sends the frames that were taken. */
  default void flush() {}

  /** Returns the bytes that wait to be sent. */
  long pendingBytes();

  /** Discards waiting frames: the client is too slow, or the session is aborted. */
  default void discard() {}

  /** Notifies that the session has ended and nothing follows. Called once. */
  default void end() {}
}
