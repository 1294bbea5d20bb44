package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.ClientSubscriptions;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.limits.FairQueue;
import io.sluice.gateway.limits.Shares;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
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
  private final FairThreads listeners;

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
    this.listeners = new FairThreads(provider, source, FEW_THREADS, "sluice-queue-listener");
    this.transactions = new TransactionSessions(provider, senders, source);
  }

  private void add(Kind kind, int count, String name) {
    threads.put(kind, new FairThreads(provider, source, count, name));
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

  /** Refuses tasks that wait for blocked destinations; called periodically. */
  void check(long nowNs) {
    threads.values().forEach(each -> each.refuseBlocked(nowNs));
  }

  @Override
  public QueueSession open(QueueRequest request, QueueSession.Listener listener)
      throws JMSException {
    String user = request.requester().user();
    Executor turns = task -> listeners.call(user, task);
    if (request.subscription() != null) {
      provider.checkSelector(request.where());
      return subscriptions.open(
          connection, request.subscription(), request.where(), listener, turns);
    }
    provider.checkQueueSelector(request.where());
    String queue = provider.wildcards().toProvider(request.queue());
    try {
      return provider.queueSession(connection, queue, request.where(), listener, turns);
    } catch (JMSException e) {
      throw converted(e);
    }
  }

  @Override
  public void browse(QueueRequest request, Browse.Consumer consumer) throws JMSException {
    provider.checkQueueSelector(request.where());
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        QueueBrowser browser =
            session.createBrowser(
                provider.queue(session, provider.wildcards().toProvider(request.queue())),
                request.where())) {
      Enumeration<?> messages = browser.getEnumeration();
      consumer.accept(new Browsed(browser, messages));
    } catch (JMSException e) {
      throw converted(e);
    }
  }

  /** Messages of a browser. */
  private record Browsed(QueueBrowser browser, Enumeration<?> messages) implements Browse.Source {
    @Override
    public Message next() {
      return messages.hasMoreElements() ? (Message) messages.nextElement() : null;
    }

    @Override
    public void close() {
      try {
        browser.close();
      } catch (Throwable e) { // the session closes it
        log.atDebug().setCause(e).log("browser did not close");
      }
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

  /**
   * Closes the connection in the background; over a lost one that may take its timeouts. With an
   * orderly close, the broker does not count the deliveries of pending messages.
   *
   * @param pending whether clients may have messages that they have not settled
   */
  void close(boolean pending) {
    connected = false;
    threads.values().forEach(FairThreads::stop);
    listeners.stop();
    transactions.stop();
    Connection lost = connection;
    if (lost == null) {
      return;
    }
    try {
      source.start(() -> close(lost, pending), "sluice-broker-close");
    } catch (OutOfMemoryError e) { // no thread can be started
      close(lost, pending);
    }
  }

  private void close(Connection lost, boolean pending) {
    if (pending) {
      provider.discard(lost);
      return;
    }
    try {
      lost.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("connection for queues did not close");
    }
  }

  /**
   * Threads of one connection for one kind of tasks that wait for the broker. Users take turns, and
   * have shares of the threads. Any thread.
   */
  private static final class FairThreads {
    /** Divisor of the threads: number that may send to the same destination, shared by users. */
    private static final int SENDING_SHARE = 4;

    /** Time in a call, and of a wait, after which a task is refused. */
    private static final long BLOCKED_NS = TimeUnit.SECONDS.toNanos(5);

    private final Runnable turn;
    private final ExecutorService threads;
    private final int sending;

    // Guarded by this.
    private final FairQueue<Task> waiting = new FairQueue<>();
    private final Shares running;

    private final Map<String, Senders> byDestination = new HashMap<>();

    /** Running tasks of one destination, in the order of their starts. */
    private static final class Senders {
      final Shares shares;
      final Set<Task> tasks = new LinkedHashSet<>();

      Senders(int max) {
        shares = new Shares(max);
      }

      void add(Task task) {
        shares.take(task.user, 1);
        tasks.add(task);
      }

      void remove(Task task) {
        shares.release(task.user, 1);
        tasks.remove(task);
      }
    }

    private static final class Task {
      final String user;
      final Runnable work;

      /** Time of the first check since it was added or started; 0 before. */
      long seenNs;

      Task(String user, Runnable work) {
        this.user = user;
        this.work = work;
      }

      Set<String> destinations() {
        return work instanceof SendTask task ? task.destinations() : Set.of();
      }

      /** Returns whether checks have found it for a time. */
      boolean isSeenFor(long forNs, long nowNs) {
        if (seenNs == 0) {
          seenNs = nowNs;
        }
        return nowNs - seenNs >= forNs;
      }
    }

    /** Creates an instance whose threads end when they are idle. */
    FairThreads(Provider provider, BrokerThreads source, int threads, String name) {
      this.turn = provider.inContext(this::run);
      this.threads = source.pool(threads, name);
      this.running = new Shares(threads);
      this.sending = Math.max(1, threads / SENDING_SHARE);
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
        threads.execute(turn);
      } catch (RejectedExecutionException e) {
        // The connection is lost, and its users are notified.
      }
    }

    // A thread that ends a task takes what waited for it, even after a bug. The end of one task may
    // permit several others.
    private void run() {
      Task next = take();
      if (next == null) {
        return;
      }
      if (hasWaiting()) {
        start();
      }
      try {
        next.work.run();
      } finally {
        if (end(next)) {
          start();
        }
      }
    }

    private synchronized Task take() {
      Task next =
          waiting.poll(
              running, task -> task.destinations().stream().allMatch(to -> isFree(to, task.user)));
      if (next != null) {
        next.seenNs = 0;
        for (String to : next.destinations()) {
          byDestination.computeIfAbsent(to, any -> new Senders(sending)).add(next);
        }
      }
      return next;
    }

    private synchronized boolean hasWaiting() {
      return !waiting.isEmpty();
    }

    private boolean isFree(String destination, String user) {
      Senders senders = byDestination.get(destination);
      return senders == null || senders.shares.isFree(user, 1);
    }

    /** A task has ended. Returns whether others wait. */
    private synchronized boolean end(Task ended) {
      running.release(ended.user, 1);
      for (String to : ended.destinations()) {
        Senders senders = byDestination.get(to);
        senders.remove(ended);
        if (senders.tasks.isEmpty()) {
          byDestination.remove(to);
        }
      }
      return !waiting.isEmpty();
    }

    /** Refuses tasks that wait behind blocked ones. */
    void refuseBlocked(long nowNs) {
      removeBlocked(nowNs).forEach(task -> task.onBlocked(SendTask.blocked(task.destinations())));
    }

    private synchronized List<SendTask> removeBlocked(long nowNs) {
      Set<Task> blocked = new HashSet<>();
      for (Senders senders : byDestination.values()) {
        for (Task task : senders.tasks) {
          if (task.isSeenFor(BLOCKED_NS, nowNs)) {
            blocked.add(task);
          }
        }
      }
      List<SendTask> removed = new ArrayList<>();
      waiting.removeIf(
          task ->
              task.isSeenFor(BLOCKED_NS, nowNs)
                  && task.destinations().stream().anyMatch(to -> isBlocked(to, task.user, blocked)),
          task -> removed.add((SendTask) task.work));
      return removed;
    }

    // The broker may block a task at another of its destinations, which only its user has.
    private boolean isBlocked(String destination, String user, Set<Task> blocked) {
      Senders senders = byDestination.get(destination);
      return senders != null
          && senders.tasks.stream()
              .filter(blocked::contains)
              .anyMatch(each -> each.user.equals(user) || each.destinations().size() == 1);
    }

    /** Ends the threads and interrupts their tasks. */
    void stop() {
      threads.shutdownNow();
    }
  }
}
