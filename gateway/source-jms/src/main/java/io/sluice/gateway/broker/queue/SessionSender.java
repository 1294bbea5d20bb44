package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Publication;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.List;

/**
 * Sender of messages on one session, whose owner ends the transaction. One thread at a time; waits
 * for the broker.
 */
@FunctionalInterface
public interface SessionSender {
  /** Factory of senders. Any thread. */
  interface Factory {
    /** Returns whether clients may publish to a destination at this broker. */
    boolean isServed(Publication publication);

    /** Creates a sender; waits for the broker. */
    SessionSender open(Session session) throws JMSException;
  }

  /** Sends one message. */
  void send(Publication publication) throws JMSException;

  /** Sends messages in order. A failure names the message that the broker did not accept. */
  default void sendAll(List<Publication> publications) throws JMSException {
    int number = 1;
    for (Publication publication : publications) {
      try {
        send(publication);
      } catch (JMSException | RuntimeException e) {
        throw new PartRefused(number, e);
      }
      number++;
    }
  }
}
