package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.CloseCode;

/** The transport of one client. Bound to its event loop, but for {@link #execute}. */
public interface Connection {
  /**
   * Queues complete frames, which stay the caller's: they are lent until the next {@link #flush}
   * returns or, with {@link #flushInBatch}, until the end of the shard's batch.
   */
  void write(ByteBuf frames);

  /** Sends what is queued. */
  void flush();

  /** Sends what is queued, perhaps together with other connections' at the end of the batch. */
  void flushInBatch();

  /** Bytes that are queued, sent or not, and not yet taken by the kernel. */
  long pendingBytes();

  /**
   * Sends a close frame behind what is queued, and cuts the connection if no answer comes. The
   * listener hears {@link ConnectionListener#onClosed} soon, not within this call.
   */
  void close(CloseCode code);

  /** The client's address, behind any trusted proxy, for logs. */
  String address();

  /** Returns its share of the node's quotas; null before the node has admitted it. */
  Lease lease();

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task);
}
