package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Transactions and rejections of one consumer's session, and the interrupt of one that the broker
 * blocks. One thread at a time runs them; any thread interrupts.
 */
final class SessionTransactions {
  private final Supplier<SessionSender.Factory> senders;

  /** Sender of the latest transaction and its session; null before. */
  private SessionSender sender;

  private Session senderSession;

  // Guarded by this.

  /** Thread of the running call, or null. */
  private Thread thread;

  private boolean interrupted;

  SessionTransactions(Supplier<SessionSender.Factory> senders) {
    this.senders = senders;
  }

  /** Acknowledges messages and publishes others in one transaction; waits for the broker. */
  void run(
      QueueSession session,
      List<Message> acknowledged,
      List<Publication> publications,
      Set<String> destinations)
      throws JMSException {
    run(() -> session.transact(acknowledged, jms -> send(jms, publications)), destinations);
  }

  /** Moves messages to the dead-letter queue; waits for the broker. */
  void reject(QueueSession session, List<Message> messages, String deadLetter, String source)
      throws JMSException {
    run(
        () -> {
          for (Message message : messages) {
            session.reject(message, deadLetter, source);
          }
        },
        Set.of("queue " + deadLetter));
  }

  private void run(ConsumerCalls.Call call, Set<String> destinations) throws JMSException {
    begin();
    try {
      call.run();
    } catch (JMSException | RuntimeException e) {
      if (isInterrupted()) {
        throw late(e, destinations);
      }
      throw e;
    } finally {
      end();
    }
  }

  private void send(Session jms, List<Publication> publications) throws JMSException {
    if (sender == null || senderSession != jms) {
      sender = senders.get().open(jms);
      senderSession = jms;
    }
    PartRefused.sendAll(sender, publications);
  }

  // Without a cause, whose text would be the explanation for the client.
  private static JMSException late(Exception interrupt, Set<String> destinations) {
    JMSException late = new JMSException(QueueLink.SendTask.blocked(destinations));
    late.addSuppressed(interrupt);
    return late;
  }

  private synchronized void begin() {
    thread = Thread.currentThread();
    interrupted = false;
  }

  private synchronized boolean isInterrupted() {
    return interrupted;
  }

  // The interrupt must not reach the next task of the thread.
  private synchronized void end() {
    thread = null;
    if (interrupted) {
      Thread.interrupted();
    }
  }

  /** Interrupts the running call, if there is one. Its session has to be closed. */
  synchronized void interrupt() {
    if (thread != null) {
      interrupted = true;
      thread.interrupt();
    }
  }
}
