package io.sluice.gateway.broker.provider;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transacted session with one consumer, for all JMS providers. It has one message at a time,
 * because a transaction settles all messages of the session. The provider's thread waits in its
 * listener for the next request.
 */
final class TransactedQueueSession implements QueueSession {
  private static final Logger log = LoggerFactory.getLogger(TransactedQueueSession.class);

  private final Session session;
  private final Listener listener;
  private final Semaphore requests = new Semaphore(0);

  /** End of the transaction of the listener's message. */
  private final BlockingQueue<Runnable> ends = new LinkedBlockingQueue<>();

  private volatile boolean closed;
  private MessageProducer producer;

  private TransactedQueueSession(Session session, Listener listener) {
    this.session = session;
    this.listener = listener;
  }

  /** Source of the messages of a session. */
  interface Source {
    MessageConsumer open(Session session) throws JMSException;
  }

  static TransactedQueueSession open(Connection connection, Source source, Listener listener)
      throws JMSException {
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    try {
      MessageConsumer consumer = source.open(session);
      TransactedQueueSession opened = new TransactedQueueSession(session, listener);
      consumer.setMessageListener(opened::onMessage);
      return opened;
    } catch (JMSException | RuntimeException e) {
      Provider.closeQuietly(session);
      throw e;
    }
  }

  // JMS permits to end a transaction within the listener, for the message that it handles.
  private void onMessage(Message message) {
    if (closed) {
      return; // buffered behind the last one
    }
    requests.acquireUninterruptibly();
    if (closed) {
      return;
    }
    listener.onMessage(message, null);
    try {
      ends.take().run();
    } catch (InterruptedException e) { // the provider ends its thread: the session is closed
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void request() {
    requests.drainPermits();
    requests.release();
  }

  @Override
  public void cancel() {
    requests.drainPermits();
  }

  @Override
  public void acknowledge(List<Message> messages) throws JMSException {
    end(session::commit);
  }

  // The only message of the session is the acknowledged one.
  @Override
  public void transact(List<Message> acknowledged, Sends sends) throws JMSException {
    end(
        () -> {
          try {
            sends.send(session);
            session.commit();
          } catch (JMSException | RuntimeException e) {
            rollback();
            throw e;
          }
        });
  }

  @Override
  public void reject(Message message, String deadLetter, String queue) throws JMSException {
    end(
        () -> {
          if (producer == null) {
            producer = session.createProducer(session.createQueue(deadLetter));
          }
          producer.send(message, DeliveryMode.PERSISTENT, message.getJMSPriority(), 0);
          session.commit();
        });
  }

  @Override
  public void release(List<Message> messages) throws JMSException {
    requests.drainPermits();
    end(session::rollback);
  }

  /** End of a transaction. */
  private interface End {
    void run() throws JMSException;
  }

  /** Runs on the thread of the listener, and waits for it. */
  private void end(End end) throws JMSException {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              end.run();
              return null;
            });
    ends.add(task);
    try {
      task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof JMSException failure) {
        throw failure;
      }
      throw new JMSException(String.valueOf(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JMSException("interrupted");
    }
  }

  @Override
  public int maxPending() {
    return 1;
  }

  @Override
  public boolean isRedelivered(Message message) throws JMSException {
    return message.getJMSRedelivered();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close(List<Message> messages) {
    closed = true;
    ends.add(this::rollback);
    requests.release();
    Provider.closeQuietly(session);
  }

  private void rollback() {
    try {
      session.rollback();
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("message was not released");
    }
  }
}
