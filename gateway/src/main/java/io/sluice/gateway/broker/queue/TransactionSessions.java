package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;

/**
 * Sessions of one connection for transactions without acknowledgements, and their threads. There
 * are few of them, so that transactions cannot occupy the threads of consumers. Any thread.
 */
final class TransactionSessions {
  private static final int THREADS = 8;

  /** Session that no transaction uses. */
  private record Idle(Session session, SessionSender sender) {}

  private final SessionSender.Factory senders;
  private final Deque<Idle> sessions = new ConcurrentLinkedDeque<>();
  private final ExecutorService threads;

  TransactionSessions(SessionSender.Factory senders, BrokerThreads source) {
    this.senders = senders;
    // The number of transactions of the node bounds the tasks that wait.
    this.threads = source.pool(THREADS, "sluice-transaction");
  }

  /** Runs a task that may wait for the broker. Its cancellation interrupts it. */
  Future<?> call(Runnable task) {
    FutureTask<Void> future = new FutureTask<>(task, null);
    try {
      threads.execute(future);
    } catch (RejectedExecutionException e) {
      // The connection is lost, and its users are notified.
    }
    return future;
  }

  /** Sends messages in one transaction; waits for the broker. A failed session is not reused. */
  void publish(Connection connection, List<Publication> publications) throws JMSException {
    Idle used = sessions.pollFirst();
    if (used == null) {
      used = open(connection);
    }
    boolean committed = false;
    try {
      used.sender.sendAll(publications);
      used.session.commit();
      committed = true;
    } finally {
      if (committed) {
        sessions.addFirst(used);
      } else {
        close(used.session);
      }
    }
  }

  private Idle open(Connection connection) throws JMSException {
    Session opened = connection.createSession(true, Session.SESSION_TRANSACTED);
    try {
      return new Idle(opened, senders.open(opened));
    } catch (JMSException | RuntimeException e) {
      close(opened);
      throw e;
    }
  }

  // Closing rolls back. An interrupt must not prevent it.
  private static void close(Session failed) {
    boolean interrupted = Thread.interrupted();
    Provider.closeQuietly(failed);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the threads; the connection closes the sessions. */
  void stop() {
    threads.shutdownNow();
  }
}
