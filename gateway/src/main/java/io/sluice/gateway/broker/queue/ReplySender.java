package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import jakarta.jms.Destination;

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
}
