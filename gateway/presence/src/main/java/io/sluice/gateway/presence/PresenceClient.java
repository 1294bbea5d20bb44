package io.sluice.gateway.presence;

import io.netty.buffer.ByteBuf;

/** Client of presence. Bound to its event loop, except {@link #loop} and {@link #execute}. */
interface PresenceClient {
  /** Returns an object that identifies the client's event loop. Any thread. */
  Object loop();

  /** Runs a task on the client's event loop. Any thread. */
  void execute(Runnable task);

  /** Sends the answer to a request of the client, and takes ownership of it. */
  void answer(Attendance request, ByteBuf frame);

  /**
   * Sends a frame that is borrowed until {@link #releaseAfterBatch}, unless the client lags.
   *
   * @return whether the frame was accepted
   */
  boolean offerFrames(ByteBuf frame);

  /** Releases a frame after the clients of this event loop have been flushed. */
  void releaseAfterBatch(ByteBuf frame);
}
