package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;

/**
 * Socket of one client: a byte stream without frames. Bound to the client's event loop, except
 * {@link #execute}.
 *
 * <p>A written buffer is borrowed until the next flush. A buffer sent to many clients therefore
 * needs no reference count per client. A socket that cannot send it in time retains the rest.
 */
public interface ClientSocket {
  /** Callbacks of a socket. */
  interface Owner {
    /** Called once, first: the socket is ready. */
    void onOpen(ClientSocket socket);

    /** Called with received bytes. They may be overwritten, and are valid during the call only. */
    void onBytes(ByteBuf bytes);

    /**
     * Called when the kernel has taken all bytes up to {@link ClientSocket#finish}.
     *
     * @param halfClosed whether the output is shut down, so that the client is expected to close
     *     the connection
     */
    void onFinished(boolean halfClosed);

    /** Called when the socket failed and is about to close, or one of these methods threw. */
    void onFault(Throwable cause);

    /** Called once, last: the socket is closed. */
    void onClosed();
  }

  /**
   * Queues bytes. The buffer is borrowed until the next {@link #flush} returns or, with {@link
   * #flushInBatch}, until the end of the loop's batch.
   */
  void write(ByteBuf bytes);

  /** Sends queued bytes until the kernel takes no more. The rest is sent automatically later. */
  void flush();

  /** Flushes at the latest at the end of the loop's batch, together with other sockets. */
  void flushInBatch();

  /** Returns the number of queued bytes that the kernel has not taken. */
  long pendingBytes();

  /** Queues the last bytes and flushes; see {@link Owner#onFinished}. */
  void finish(ByteBuf last);

  /**
   * Discards the buffers of which nothing was sent, and finishes behind a partly sent one. Enlarges
   * the kernel's send buffer for both, so that a client that reads later receives them.
   */
  void finishEarly(ByteBuf last);

  /**
   * Passes on what the kernel has received, unless the event loop has done so in its latest round.
   * To be called before the client is closed for a timeout, outside of all callbacks.
   *
   * @return whether the connection is still open
   */
  boolean readReceived();

  /**
   * Returns whether the client reads what was sent. One or more system calls.
   *
   * @param withinMs age of the latest progress that counts
   */
  SendProgress progress(long withinMs);

  /**
   * Discards all queued bytes at once, refers to no buffer any more, and closes the connection in a
   * later task.
   */
  void abort();

  /** Closes the connection at once. The owner may be notified within this call. */
  void close();

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task);
}
