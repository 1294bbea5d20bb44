package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sessions for transactions without acknowledgements, one per thread that uses them at a time.
 * Where a transaction may block its connection, each session has its own one. Any thread.
 */
final class TransactionSessions {
  /**
   * Session that no transaction uses.
   *
   * @param own its connection; null if it is that of the consumers
   * @param lost set to true when {@code own} is lost
   */
  private record Idle(Connection own, AtomicBoolean lost, Session session, SessionSender sender) {}

  private final Provider provider;
  private final SessionSender.Factory senders;
  private final Deque<Idle> sessions = new ConcurrentLinkedDeque<>();
  private final BrokerThreads source;
  private volatile boolean stopped;

  TransactionSessions(Provider provider, SessionSender.Factory senders, BrokerThreads source) {
    this.provider = provider;
    this.senders = senders;
    this.source = source;
  }

  /**
   * Sends messages in one transaction; waits for the broker. A failed session is not reused.
   *
   * @param connection connection of the consumers
   */
  void publish(Connection connection, List<Publication> publications) throws JMSException {
    Idle used = idle();
    if (used == null) {
      used = open(connection);
    }
    boolean committed = false;
    try {
      PartRefused.sendAll(used.sender, publications);
      used.session.commit();
      committed = true;
    } finally {
      if (committed) {
        sessions.addFirst(used);
      } else {
        close(used);
      }
      if (stopped) {
        closeIdle();
      }
    }
  }

  /** Returns a usable session, or null. */
  private Idle idle() {
    Idle next = sessions.pollFirst();
    while (next != null && next.lost.get()) {
      close(next);
      next = sessions.pollFirst();
    }
    return next;
  }

  private Idle open(Connection consumers) throws JMSException {
    AtomicBoolean lost = new AtomicBoolean();
    Connection own = provider.blocksConnections() ? connect(lost) : null;
    Session opened = null;
    try {
      opened = (own == null ? consumers : own).createSession(true, Session.SESSION_TRANSACTED);
      return new Idle(own, lost, opened, senders.open(opened));
    } catch (JMSException | RuntimeException e) {
      close(new Idle(own, lost, opened, null));
      throw e;
    }
  }

  private Connection connect(AtomicBoolean lost) throws JMSException {
    try {
      return provider.connect(Provider.TRANSACTIONS, () -> lost.set(true));
    } catch (JMSException | RuntimeException e) {
      throw e;
    } catch (Exception e) { // a provider's lookup may fail in any way
      throw (JMSException) new JMSException(String.valueOf(e.getMessage())).initCause(e);
    }
  }

  // Closing rolls back. An interrupt must not prevent it.
  private void close(Idle failed) {
    boolean interrupted = Thread.interrupted();
    if (failed.own != null) {
      source.start(
          () -> provider.discard(failed.own), "sluice-broker-close"); // the broker may block it
    } else if (failed.session != null) {
      Provider.closeQuietly(failed.session);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeIdle() {
    for (Idle next = sessions.pollFirst(); next != null; next = sessions.pollFirst()) {
      if (next.own != null) {
        close(next);
      }
    }
  }

  /** Closes own connections; the consumers' connection closes its sessions. */
  void stop() {
    stopped = true;
    closeIdle();
  }
}
