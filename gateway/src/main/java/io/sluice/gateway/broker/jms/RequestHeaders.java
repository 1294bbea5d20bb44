package io.sluice.gateway.broker.jms;

import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

/**
 * JMS headers of a request, which the node sets. Immutable, for any thread.
 *
 * @param replyTo the node's reply queue
 * @param correlationId identifier that the responder returns with its reply
 * @param ttlMs time to live in milliseconds
 */
record RequestHeaders(Destination replyTo, String correlationId, long ttlMs) {
  /** Sets the headers of a message. The time to live belongs to its sending. */
  void writeTo(Message message) throws JMSException {
    message.setJMSReplyTo(replyTo);
    message.setJMSCorrelationID(correlationId);
  }
}
