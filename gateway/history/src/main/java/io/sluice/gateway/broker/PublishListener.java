package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;

/**
 * Receiver of the result of one publish. {@link #onPublished} or {@link #onRefused} is called,
 * once, on any thread.
 */
public interface PublishListener {
  /**
   * Notifies of the destination of a reply, before its result.
   *
   * @param destination null if the message requests no reply
   */
  default void onDestination(Destination destination) {}

  /**
   * Counts a reply to its destination. Returns the rate limit that it exceeds, or null. Called at
   * most once, after {@link #onDestination}.
   */
  default String rateProblem() {
    return null;
  }

  /** The broker has accepted the message. */
  void onPublished();

  /** The broker has refused the message or did not confirm it. */
  void onRefused(ErrorCode code, String why);

  /** Returns whose publish it is. */
  default Requester requester() {
    return Requester.NODE;
  }
}
