package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import jakarta.jms.JMSException;
import jakarta.jms.Session;

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
}
