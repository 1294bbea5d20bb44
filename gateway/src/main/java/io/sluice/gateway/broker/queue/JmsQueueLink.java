package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.FairQueue;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.ClientSubscriptions;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.util.EnumMap;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection for queues and the threads of its calls. Threads that a lost connection blocks end
 * with it, and never delay the calls of the next one. Any thread.
 */
final class JmsQueueLink implements QueueLink {
  private static final Logger log = LoggerFactory.getLogger(JmsQueueLink.class);
  private static final int SETTLE_THREADS = 32;
  private static final int SEND_THREADS = 16;

  /** Threads that open, close, browse, send transactions, or run listeners. */
  private static final int FEW_THREADS = 8;

  private static final int REQUEST_THREADS = 4;

  /** Time limit for connecting, in units of that of a call. */
  private static final int CONNECT_CALLS = 3;

  private final Provider provider;
  private final QueueOptions options;
  private final ClientSubscriptions subscriptions;
  private final LongPredicate suspect;
  private final BrokerThreads source;
  private final long sinceNs;
  private final Map<Kind, FairThreads> threads = new EnumMap<>(Kind.class);

  /** Runs listeners. A call may wait for one of them, so that no call runs here. */
  private final ExecutorService listeners;

  private final TransactionSessions transactions;

  /** Null until it is open. */
  private volatile Connection connection;

  private volatile boolean connected;

  /**
   * Creates a link that is not connected.
   *
   * @param subscriptions adapter of subscriptions, which the links of a node share
   * @param senders senders of the messages of transactions
   * @param suspect whether an earlier delivery of a message of this time may not be counted
   * @param sinceNs current time of the clock of {@link #isOverdue}
   */
  JmsQueueLink(
      Provider provider,
      QueueOptions options,
      ClientSubscriptions subscriptions,
      SessionSender.Factory senders,
      LongPredicate suspect,
      BrokerThreads source,
      long sinceNs) {
    this.provider = provider;
    this.options = options;
    this.subscriptions = subscriptions;
    this.suspect = suspect;
    this.source = source;
    this.sinceNs = sinceNs;
    // At most one call per consumer waits; the number of other tasks is bounded.
    add(Kind.OPEN, FEW_THREADS, "sluice-queue-open");
    add(Kind.SETTLE, SETTLE_THREADS, "sluice-queue-settle");
    add(Kind.SEND, SEND_THREADS, "sluice-queue-send");
    add(Kind.CLOSE, FEW_THREADS, "sluice-queue-close");
    add(Kind.BROWSE, FEW_THREADS, "sluice-queue-browse");
    add(Kind.REQUEST, REQUEST_THREADS, "sluice-queue-request");
    add(Kind.TRANSACTION, FEW_THREADS, "sluice-transaction");
    this.listeners = source.pool(FEW_THREADS, "sluice-queue-listener");
    this.transactions = new TransactionSessions(provider, senders, source);
  }

  private void add(Kind kind, int count, String name) {
    threads.put(kind, new FairThreads(source, count, name));
  }

  /** Connects; waits for the broker. */
  void connect(Runnable onLost) throws Exception {
    connection = provider.connect(Provider.QUEUES, onLost);
    connection.start();
  }

  /** Admits calls. */
  void begin() {
    connected = true;
  }

  boolean isConnected() {
    return connected;
  }

  /** Returns whether connecting exceeds its time limit. */
  boolean isOverdue(long nowNs) {
    return !connected
        && TimeUnit.NANOSECONDS.toMillis(nowNs - sinceNs) > CONNECT_CALLS * options.callTimeoutMs();
  }

  @Override
  public void call(Kind kind, String user, Runnable task) {
    threads.get(kind).call(user, task);
  }

  private void runListener(Runnable task) {
    try {
      listeners.execute(task);
    } catch (RejectedExecutionException e) {
      // The connection is lost, and its users are notified.
    }
  }

  @Override
  public QueueSession open(QueueRequest request, QueueSession.Listener listener)
      throws JMSException {
    if (request.subscription() != null) {
      return subscriptions.open(
          connection, request.subscription(), request.where(), listener, this::runListener);
    }
    String queue = provider.wildcards().toProvider(request.queue());
    try {
      return provider.queueSession(connection, queue, request.where(), listener, this::runListener);
    } catch (JMSException e) {
      throw converted(e);
    }
  }

  @Override
  public void browse(QueueRequest request, Browse.Consumer consumer) throws JMSException {
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        QueueBrowser browser =
            session.createBrowser(
                provider.queue(session, provider.wildcards().toProvider(request.queue())),
                request.where())) {
      Enumeration<?> messages = browser.getEnumeration();
      consumer.accept(() -> messages.hasMoreElements() ? (Message) messages.nextElement() : null);
    } catch (JMSException e) {
      throw converted(e);
    }
  }

  @Override
  public List<DurableState> list(String principal, int max) throws JMSException {
    return subscriptions.list(connection, principal, max);
  }

  @Override
  public void delete(TopicSubscription subscription) throws JMSException {
    subscriptions.delete(connection, subscription);
  }

  @Override
  public void expire() throws JMSException {
    subscriptions.expire(connection);
  }

  @Override
  public void publish(List<Publication> publications) throws JMSException {
    transactions.publish(connection, publications);
  }

  private JMSException converted(JMSException failure) {
    return provider.isMissingQueue(failure)
        ? new InvalidDestinationException(failure.getMessage())
        : failure;
  }

  @Override
  public String deadLetter() {
    String configured = options.deadLetter();
    return configured.isEmpty()
        ? provider.deadLetterQueue()
        : provider.wildcards().toProvider(configured);
  }

  @Override
  public boolean isSuspect(long timeMs) {
    return suspect.test(timeMs);
  }

  /** Closes the connection in the background; over a lost one that may take its timeouts. */
  void close() {
    connected = false;
    threads.values().forEach(FairThreads::stop);
    listeners.shutdownNow();
    transactions.stop();
    Connection lost = connection;
    if (lost == null) {
      return;
    }
    try {
      source.start(() -> close(lost), "sluice-broker-close");
    } catch (OutOfMemoryError e) { // no thread can be started
      close(lost);
    }
  }

  private static void close(Connection lost) {
    try {
      lost.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("connection for queues did not close");
    }
  }

  /**
   * Threads of one connection for one kind of calls that wait for the broker. Users take turns, and
   * one user never occupies all threads; only the node itself, with an empty key, may. Any thread.
   */
  private static final class FairThreads {
    /** Of the threads, the part that one user leaves to others. */
    private static final int RESERVED = 4;

    private final ExecutorService threads;
    private final int share;

    // Guarded by this.
    private final FairQueue<Task> waiting = new FairQueue<>();
    private final Map<String, Integer> running = new HashMap<>();

    private record Task(String user, Runnable work) {}

    /** Creates an instance whose threads end when they are idle. */
    FairThreads(BrokerThreads source, int threads, String name) {
      this.threads = source.pool(threads, name);
      this.share = threads - Math.max(1, threads / RESERVED);
    }

    /** Runs a task of a user in its turn. A task of a stopped instance never runs. */
    void call(String user, Runnable work) {
      synchronized (this) {
        waiting.add(user, new Task(user, work));
      }
      start();
    }

    private void start() {
      try {
        threads.execute(this::run);
      } catch (RejectedExecutionException e) {
        // The connection is lost, and its users are notified.
      }
    }

    // A thread that ends a user's task takes what waited for it, even after a bug.
    private void run() {
      Task next = take();
      if (next == null) {
        return;
      }
      try {
        next.work.run();
      } finally {
        if (end(next.user)) {
          start();
        }
      }
    }

    private synchronized Task take() {
      Task next = waiting.poll(user -> user.isEmpty() || running.getOrDefault(user, 0) < share);
      if (next != null) {
        running.merge(next.user, 1, Integer::sum);
      }
      return next;
    }

    /** A task has ended. Returns whether others wait. */
    private synchronized boolean end(String user) {
      running.compute(user, (key, count) -> count == 1 ? null : count - 1);
      return !waiting.isEmpty();
    }

    /** Ends the threads and interrupts their tasks. */
    void stop() {
      threads.shutdownNow();
    }
  }
}
