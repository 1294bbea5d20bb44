package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.SessionSender;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.util.List;

/** Failure of one message of a transaction. Immutable, for any thread. */
final class PartRefused extends JMSException {
  private static final long serialVersionUID = 1L;

  PartRefused(int number, Throwable cause) {
    super("publish " + number + ": " + reason(cause));
    initCause(cause);
  }

  private static String reason(Throwable cause) {
    if (cause instanceof InvalidDestinationException) {
      return "the broker has no such destination";
    }
    return cause instanceof JMSSecurityException
        ? "the broker denies access to this destination"
        : "the broker did not accept the message: " + Explanation.of(cause);
  }

  /** Sends messages in order. A failure names the message that the broker did not accept. */
  static void sendAll(SessionSender sender, List<Publication> publications) throws PartRefused {
    int number = 1;
    for (Publication publication : publications) {
      try {
        sender.send(publication);
      } catch (JMSException | RuntimeException e) {
        throw new PartRefused(number, e);
      }
      number++;
    }
  }

  /** Returns the explanation of a failed transaction for its client. */
  static String explanation(Throwable failure) {
    return failure instanceof PartRefused
        ? failure.getMessage()
        : "the broker did not store the transaction: " + Explanation.of(failure);
  }

  /** Returns the explanation of a message whose destination is not served. */
  static String unserved(int number) {
    return "publish " + number + ": name is reserved or invalid for this broker";
  }

  /** Returns the number of the first message to a destination that is not served, or 0. */
  static int firstUnserved(List<Publication> publications, SessionSender.Factory senders) {
    for (int i = 0; i < publications.size(); i++) {
      if (!senders.isServed(publications.get(i))) {
        return i + 1;
      }
    }
    return 0;
  }
}
