package io.sluice.gateway.broker.provider;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transacted session with one consumer, for all JMS providers. It has one message at a time,
 * because a transaction settles all messages of the session.
 *
 * <p>A request receives synchronously, for a short time and repeatedly, on the threads that all
 * sessions of a connection share. A consumer without a request and without a message is closed,
 * which returns what its client has prefetched.
 */
final class TransactedQueueSession implements QueueSession {
  private static final Logger log = LoggerFactory.getLogger(TransactedQueueSession.class);

  /** Bounds of the time for which a thread waits for a message. */
  private static final long MIN_WAIT_MS = 1;

  private static final long MAX_WAIT_MS = 256;

  /** Time in the queue of the threads beyond which a session waits for a shorter time. */
  private static final long MAX_QUEUED_NS = 20_000_000;

  /** Time without a request after which the consumer is closed. */
  private static final long IDLE_MS = 100;

  private final Session session;
  private final Source source;
  private final boolean keepsConsumer;
  private final Listener listener;
  private final Executor executor;

  /** True while a receive waits for a thread or runs. */
  private final AtomicBoolean receiving = new AtomicBoolean();

  /** Held during each call of the session, which permits one thread at a time. */
  private final ReentrantLock lock = new ReentrantLock();

  private volatile boolean requested;
  private volatile boolean closed;

  /** Failure to receive a message; null if there was none. */
  private volatile Throwable failure;

  // Guarded by the lock.
  private MessageConsumer consumer;
  private MessageProducer producer;
  private long waitMs = MAX_WAIT_MS;

  /** True while a received message is not settled. */
  private boolean pending;

  private TransactedQueueSession(
      Session session,
      Source source,
      MessageConsumer consumer,
      boolean keepsConsumer,
      Listener listener,
      Executor executor) {
    this.session = session;
    this.source = source;
    this.consumer = consumer;
    this.keepsConsumer = keepsConsumer;
    this.listener = listener;
    this.executor = executor;
  }

  /** Source of the messages of a session. */
  interface Source {
    MessageConsumer open(Session session) throws JMSException;
  }

  /**
   * Opens a session and its consumer.
   *
   * @param keepsConsumer whether the consumer remains open without a request
   * @param executor runs tasks that wait for messages for a short time
   */
  static TransactedQueueSession open(
      Connection connection,
      Source source,
      boolean keepsConsumer,
      Listener listener,
      Executor executor)
      throws JMSException {
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    try {
      MessageConsumer consumer = source.open(session);
      TransactedQueueSession opened =
          new TransactedQueueSession(session, source, consumer, keepsConsumer, listener, executor);
      opened.closeIdleLater();
      return opened;
    } catch (JMSException | RuntimeException e) {
      Provider.closeQuietly(session);
      throw e;
    }
  }

  @Override
  public void request() {
    requested = true;
    receiveLater();
  }

  @Override
  public void cancel() {
    requested = false;
    closeIdleLater();
  }

  private void receiveLater() {
    if (requested && !closed && receiving.compareAndSet(false, true)) {
      long nowNs = System.nanoTime();
      executor.execute(() -> receive(nowNs));
    }
  }

  private void receive(long queuedNs) {
    lock.lock();
    try {
      if (requested && !closed && !pending) {
        boolean crowded = System.nanoTime() - queuedNs > MAX_QUEUED_NS;
        waitMs = crowded ? Math.max(MIN_WAIT_MS, waitMs / 2) : Math.min(MAX_WAIT_MS, 2 * waitMs);
        receive();
      }
    } catch (JMSException | RuntimeException | OutOfMemoryError e) {
      failure = e;
      closed = true; // the caller notices it
    } finally {
      receiving.set(false);
      lock.unlock();
    }
    receiveLater();
  }

  // The listener is called under the lock, before the message can return to the queue.
  private void receive() throws JMSException {
    if (consumer == null) {
      consumer = source.open(session);
    }
    Message message = consumer.receive(waitMs);
    if (message != null) {
      requested = false;
      pending = true;
      listener.onMessage(message, null);
    }
  }

  private void closeIdleLater() {
    if (!keepsConsumer) {
      CompletableFuture.delayedExecutor(IDLE_MS, TimeUnit.MILLISECONDS, executor)
          .execute(this::closeIdle);
    }
  }

  private void closeIdle() {
    lock.lock();
    try {
      if (!requested && !pending && !closed) {
        closeConsumer();
      }
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("consumer did not close");
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  private void closeConsumer() throws JMSException {
    if (consumer != null && !keepsConsumer) {
      MessageConsumer idle = consumer;
      consumer = null;
      idle.close();
    }
  }

  @Override
  public void acknowledge(List<Message> messages) throws JMSException {
    settle(session::commit);
  }

  // The only message of the session is the acknowledged one.
  @Override
  public void transact(List<Message> acknowledged, Sends sends) throws JMSException {
    settle(
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
    settle(
        () -> {
          if (producer == null) {
            producer = session.createProducer(session.createQueue(deadLetter));
          }
          producer.send(message, DeliveryMode.PERSISTENT, message.getJMSPriority(), 0);
          session.commit();
        });
  }

  // Some clients return a message only to the next receive of the same consumer.
  @Override
  public void release(List<Message> messages) throws JMSException {
    requested = false;
    settle(
        () -> {
          session.rollback();
          closeConsumer();
        });
  }

  /** End of a transaction. */
  private interface End {
    void run() throws JMSException;
  }

  private void settle(End end) throws JMSException {
    lock.lock();
    try {
      end.run();
      pending = false;
    } finally {
      lock.unlock();
    }
    closeIdleLater();
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
  public Throwable failure() {
    return failure;
  }

  // A receive that runs has no message. It ends with the session.
  @Override
  public void close(List<Message> messages) {
    requested = false;
    closed = true;
    if (lock.tryLock()) {
      try {
        rollback();
      } finally {
        lock.unlock();
      }
    }
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
