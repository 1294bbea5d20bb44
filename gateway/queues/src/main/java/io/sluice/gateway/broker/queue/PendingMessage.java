package io.sluice.gateway.broker.queue;

import io.sluice.gateway.protocol.Destination;
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

  /** Destination for replies, or null. */
  final Destination replyTo;

  final long deadlineNs;
  State state = State.PENDING;

  /** True from a reply on, unless the broker refuses it. Any thread may reset it. */
  volatile boolean answered;

  PendingMessage(long tag, Message message, int bytes, Destination replyTo, long deadlineNs) {
    this.tag = tag;
    this.message = message;
    this.bytes = bytes;
    this.replyTo = replyTo;
    this.deadlineNs = deadlineNs;
  }

  /** Returns a message that the client does not receive. */
  static PendingMessage undelivered(Message message) {
    return new PendingMessage(0, message, 0, null, 0);
  }
}
