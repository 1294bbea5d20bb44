package io.sluice.gateway.broker.jms;

import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

/**
 * JMS headers of a request or a reply, which the node sets. Immutable, for any thread.
 *
 * @param to destination of a reply, instead of that of the publication; null for a request
 * @param replyTo the node's reply queue; null for a reply
 * @param correlationId identifier that a reply has in common with its request
 * @param ttlMs time to live of a request in milliseconds; 0 for a reply, which has that of its
 *     publication
 */
record RequestHeaders(Destination to, Destination replyTo, String correlationId, long ttlMs) {
  /** Returns the headers of a request. */
  static RequestHeaders request(Destination replyTo, String correlationId, long ttlMs) {
    return new RequestHeaders(null, replyTo, correlationId, ttlMs);
  }

  /** Returns the headers of a reply. */
  static RequestHeaders reply(Destination to, String correlationId) {
    return new RequestHeaders(to, null, correlationId, 0);
  }

  /** Returns whether the message is a reply. */
  boolean isReply() {
    return to != null;
  }

  /** Sets the headers of a message. The time to live belongs to its sending. */
  void writeTo(Message message) throws JMSException {
    if (replyTo != null) {
      message.setJMSReplyTo(replyTo);
    }
    message.setJMSCorrelationID(correlationId);
  }
}
