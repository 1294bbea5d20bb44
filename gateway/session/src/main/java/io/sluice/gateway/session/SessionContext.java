package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;

/**
 * Operations of a session that its features use. Bound to the client's event loop, except {@link
 * #later}.
 */
public interface SessionContext {
  /** Returns the identity and the permissions of the client. */
  ClientIdentity client();

  /** Returns the limits and rules of the node. */
  SessionPolicy policy();

  /** Returns the client's share of the node's limits. */
  Lease lease();

  /** Returns an object that identifies the event loop. */
  Object loop();

  /** Sends a frame and takes ownership of it. */
  void send(ByteBuf frame);

  /**
   * Sends frames that the caller owns until {@link #releaseAfterBatch}, unless the client lags or
   * would exceed its buffer limit.
   *
   * @return whether the frames were accepted
   */
  boolean offerFrames(ByteBuf frames);

  /** Releases a frame after the clients of this event loop have been flushed. */
  void releaseAfterBatch(ByteBuf frame);

  /** Returns an error frame, which the caller owns. */
  ByteBuf refusal(long ref, ErrorCode code, String message, Destination destination);

  /**
   * Sends an error that the client caused. Too many malformed frames end the session. Any other
   * refusal costs a rate, past which the answer is {@code rate-limited}.
   */
  void error(long ref, ErrorCode code, String message, Destination destination);

  /** Rejects a request of the client and audits it, unlike a mere {@linkplain #error error}. */
  void refuse(String what, long ref, ErrorCode code, String why, Destination destination);

  /** Runs a task on the event loop; a bug ends the session, as it does while processing a frame. */
  void later(Runnable task);

  /** Closes a session without further input once no reply and no subscription is left. */
  void closeIfComplete();
}
