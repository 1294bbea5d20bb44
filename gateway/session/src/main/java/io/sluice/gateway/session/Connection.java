package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.websocket.CloseCode;

/** Transport of one client. Bound to its event loop, except {@link #execute}. */
public interface Connection {
  /** Reason of a connection that ended without a close frame. */
  String LOST = "connection-lost";

  /**
   * Queues complete frames. The caller keeps ownership, and must not release them before the next
   * {@link #flush} returns or, with {@link #flushInBatch}, before the end of the shard's batch.
   */
  void write(ByteBuf frames);

  /** Sends the queued frames. */
  void flush();

  /**
   * Sends the queued frames, possibly together with those of other connections at the end of the
   * batch.
   */
  void flushInBatch();

  /**
   * Discards the queued frames at once, and closes the connection without a close frame. {@link
   * ConnectionListener#onClosed} is called later, never within this call.
   */
  void abort();

  /** Charges further frames to the client's frame rate limit, which may close the connection. */
  default void charge(int frames) {}

  /** Returns the bytes that are queued and not yet accepted by the kernel. */
  long pendingBytes();

  /**
   * Sends a close frame after the queued frames, and closes the connection if no reply arrives.
   * {@link ConnectionListener#onClosed} is called later, never within this call.
   */
  void close(CloseCode code);

  /**
   * Returns the smoothed round-trip time of the pings in milliseconds, or {@link
   * ClientView#NO_RTT}.
   */
  default int rttMs() {
    return ClientView.NO_RTT;
  }

  /**
   * Returns the age of the oldest unanswered ping in milliseconds, or {@link ClientView#NO_PING}.
   */
  default long unansweredPingMs() {
    return ClientView.NO_PING;
  }

  /** Returns why the connection ends: the word of its close code, or {@link #LOST}. */
  default String endReason() {
    return LOST;
  }

  /** Returns whether the client may be redirected: its node does not drain. */
  default boolean isMovable() {
    return true;
  }

  /** Returns the client's address behind any trusted proxy, for logs. */
  String address();

  /** Returns its share of the node's quotas; null before the node has admitted it. */
  Lease lease();

  /** Returns whether this is an HTTP stream, whose client sends frames only in its request. */
  default boolean isStream() {
    return false;
  }

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task);
}
