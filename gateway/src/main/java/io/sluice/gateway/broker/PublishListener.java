package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;

/** Learns how a publish ended. Exactly one method is called, once, on any thread. */
public interface PublishListener {
  /** The broker has taken the message. */
  void onPublished();

  /** The broker has not, or did not say. */
  void onRefused(ErrorCode code, String why);

  /** Identifies the publishes whose order is kept: those of an equal number, such as a client's. */
  default int sequence() {
    return 0;
  }
}
