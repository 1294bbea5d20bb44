package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;

/** Receiver of the result of one publish. Exactly one method is called, once, on any thread. */
public interface PublishListener {
  /** The broker has accepted the message. */
  void onPublished();

  /** The broker has refused the message or did not confirm it. */
  void onRefused(ErrorCode code, String why);

  /** Returns the id of the client's session, for the log; empty if there is none. */
  default String session() {
    return "";
  }

  /** Returns a number, such as a client's. Publishes with equal numbers are sent in order. */
  default int sequence() {
    return 0;
  }
}
