package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;

/**
 * Socket of one client: a byte stream without knowledge of frames. Bound to the client's event
 * loop, except {@link #execute}.
 *
 * <p>What is written is lent, not given: a buffer that many clients are sent need not be counted
 * once for each of them. A socket that cannot send it in time retains the rest.
 */
public interface ClientSocket {
  /** Callbacks of a socket. */
  interface Owner {
    /** The socket is ready; called first, once. */
    void onOpen(ClientSocket wire);

    /** Bytes have come. They may be overwritten, and are gone when the call returns. */
    void onBytes(ByteBuf bytes);

    /**
     * Everything up to {@link ClientSocket#finish} is with the kernel.
     *
     * @param halfClosed whether the client has been told that nothing more comes, so that it will
     *     end the connection itself
     */
    void onFinished(boolean halfClosed);

    /** The socket failed and is about to close, or one of these calls threw. */
    void onFault(Throwable cause);

    /** The socket is closed; called last, once. */
    void onGone();
  }

  /**
   * Queues bytes, which are lent until the next {@link #flush} returns or, with {@link
   * #flushInBatch}, until the end of the loop's batch.
   */
  void write(ByteBuf bytes);

  /** Sends what is queued, or as much as the kernel takes; the rest follows by itself. */
  void flush();

  /** The same, but perhaps not before the loop's batch ends, together with other sockets. */
  void flushInBatch();

  /** Bytes that are queued and not yet taken by the kernel. */
  long pendingBytes();

  /** Queues the last bytes, flushes, and sends nothing after; see {@link Owner#onFinished}. */
  void finish(ByteBuf last);

  /**
   * Discards the buffers of which nothing was sent, and finishes behind the one that has begun. The
   * kernel is asked for room for both, so that a client that reads only later gets them.
   */
  void finishEarly(ByteBuf last);

  /** Ends the connection at once. The owner may be notified within this call. */
  void close();

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task);
}
