package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

/** Publisher of replies to messages of queues. Any thread; never blocks. */
@FunctionalInterface
public interface ReplySender {
  /**
   * Publishes a reply, in order with the other publishes of the same sequence.
   *
   * @param reply the content; its destination is not used
   * @param to reply destination of the message
   * @param correlationId correlation id of the reply
   */
  void send(Publication reply, Destination to, String correlationId, PublishListener listener);

  /** Publishes a reply to the reply destination of a message. */
  default void answer(Message message, Publication reply, PublishListener listener) {
    try {
      Destination to = message.getJMSReplyTo();
      if (to == null) {
        listener.onRefused(ErrorCode.NO_RECIPIENT, "the message requests no reply");
      } else {
        String id = message.getJMSCorrelationID();
        send(reply, to, id == null ? message.getJMSMessageID() : id, listener);
      }
    } catch (JMSException e) {
      listener.onRefused(ErrorCode.NO_RECIPIENT, "the reply destination cannot be read");
    }
  }
}
