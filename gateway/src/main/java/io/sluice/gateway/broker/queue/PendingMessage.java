package io.sluice.gateway.broker.queue;

import jakarta.jms.Message;

/** Message that a client has received and not settled. Bound to its consumer's executor. */
final class PendingMessage {
  /** Stages from the delivery to the end. */
  enum State {
    /** The client may settle it. */
    PENDING,
    /** The client has settled it, and the broker has not confirmed that. */
    SETTLING,
    /** It returns to the queue with all others that are released. */
    RELEASED
  }

  final long tag;
  final Message message;
  final int bytes;
  final long deadlineNs;
  State state = State.PENDING;

  PendingMessage(long tag, Message message, int bytes, long deadlineNs) {
    this.tag = tag;
    this.message = message;
    this.bytes = bytes;
    this.deadlineNs = deadlineNs;
  }
}
