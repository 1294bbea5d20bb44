package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import java.util.function.BiFunction;

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

  /** Returns the encoding of the client's messages. */
  Encoding encoding();

  /** Returns whether the client sends frames only in its request, and can settle nothing. */
  boolean isStream();

  /** Returns whether a ref identifies a tagged subscription or a consumer. */
  boolean isRefInUse(long ref);

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

  /**
   * Returns whether a delivery of a queue can be sent. Half of the slow-consumer limit is reserved
   * for the client's subscriptions: a queue is paused, its client is not closed.
   */
  boolean hasRoomForDelivery(int bytes);

  /** Releases a frame after the clients of this event loop have been flushed. */
  void releaseAfterBatch(ByteBuf frame);

  /** Returns an error frame, which the caller owns. */
  ByteBuf refusal(long ref, ErrorCode code, String message, Destination destination);

  /**
   * Sends an error that the client caused. Too many malformed frames end the session. Any other
   * refusal costs a rate, past which the answer is {@code rate-limited}.
   */
  void error(long ref, ErrorCode code, String message, Destination destination);

  /**
   * Sends an error in a frame of the feature; otherwise like {@link #error(long, ErrorCode, String,
   * Destination)}.
   *
   * @param frame returns the frame with a code and a message
   */
  void error(ErrorCode code, String message, BiFunction<ErrorCode, String, ByteBuf> frame);

  /** Rejects a request of the client and audits it, unlike a mere error. */
  void refuse(String what, long ref, ErrorCode code, String why, Destination destination);

  /** Rejects a request with a problem of permissions. */
  default void refuse(String what, long ref, TopicRules.Problem problem, Destination destination) {
    refuse(what, ref, problem.code(), problem.message(), destination);
  }

  /**
   * Runs a task on the event loop; a bug ends the session, as it does while processing a frame. Any
   * thread.
   */
  void later(Runnable task);

  /** Runs a task like {@link #later} after a delay. */
  void executeLater(Runnable task, long delayMs);

  /** Returns whether the session sends nothing more. */
  boolean isClosing();

  /** Closes a session without further input once no reply and no subscription is left. */
  void closeIfComplete();
}
