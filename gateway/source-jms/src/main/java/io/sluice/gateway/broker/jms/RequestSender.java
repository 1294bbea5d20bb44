package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import jakarta.jms.Destination;

/** Publisher of requests. Any thread; never blocks. */
@FunctionalInterface
public interface RequestSender {
  /**
   * Publishes a request, in order with the other publishes of the same sequence.
   *
   * @param replyTo the reply queue
   * @param correlationId identifier that the responder returns with its reply
   * @param ttlMs time to live of the message in milliseconds
   */
  void send(
      Publication publication,
      Destination replyTo,
      String correlationId,
      long ttlMs,
      PublishListener listener);
}
