package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.CloseCode;

/** The transport of one client. Bound to its event loop, but for {@link #execute}. */
public interface Connection {
  /** Queues one complete frame, which is the connection's from now on. */
  void write(ByteBuf frame);

  /** Queues one complete frame that others send too; it stays the caller's. */
  void writeShared(ByteBuf frame);

  /** Sends what is queued. */
  void flush();

  /** Bytes that are queued, sent or not, and not yet taken by the kernel. */
  long pendingBytes();

  /**
   * Sends a close frame behind what is queued, and cuts the connection if no answer comes. The
   * listener hears {@link ConnectionListener#onClosed} soon, not within this call.
   */
  void close(CloseCode code);

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task);
}
