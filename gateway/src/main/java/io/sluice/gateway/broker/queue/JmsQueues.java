package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumers of queues and the connection that they share. It is opened for the first consumer, and
 * reopened after a loss while there are consumers. Any thread; {@link #stop} waits for a short
 * time, all other methods never wait.
 */
public final class JmsQueues implements Queues {
  private static final Logger log = LoggerFactory.getLogger(JmsQueues.class);
  private static final int STEP_THREADS = 2;
  private static final int MAX_BROWSES = 256;
  private static final int MAX_TRANSACTIONS = 256;
  private static final long MAX_CHECK_MS = 1_000;
  private static final long STOP_MS = 3_000;

  /** Maximum number of threads that hang in attempts to connect. */
  private static final int MAX_CONNECTING = 4;

  /** Difference of clocks of brokers, publishers and nodes that marks a message too often. */
  private static final long CLOCK_MARGIN_MS = 10_000;

  private static final String NOT_SERVED = "queue name is reserved or invalid for this broker";

  private final Provider provider;
  private final QueueOptions options;
  private final DeliveryReader reader;
  private final Predicate<String> served;
  private final ReplySender replies;
  private final SessionSender.Factory senders;
  private final Backoff backoff;
  private final QueueMeters meters;
  private final Environment environment = new Environment();
  private final Set<LinkUser> users = ConcurrentHashMap.newKeySet();
  private final AtomicInteger browses = new AtomicInteger();
  private final AtomicInteger transactions = new AtomicInteger();
  private final AtomicInteger connecting = new AtomicInteger();
  private final ExecutorService steps =
      Executors.newFixedThreadPool(STEP_THREADS, work -> daemon(work, "sluice-queue-step"));
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "sluice-queue-timer"));

  /** Messages that the broker accepted earlier are marked as redelivered; wall clock. */
  private volatile long suspectBeforeMs;

  // Guarded by this.
  private JmsQueueLink link;
  private boolean scheduled;
  private boolean lost;
  private boolean stopped;

  /**
   * Creates queues without a connection.
   *
   * @param content reader of messages
   * @param served whether clients may use a queue of this name
   * @param replies publisher of the replies to messages
   * @param senders senders of the messages of transactions
   */
  public JmsQueues(
      Provider provider,
      QueueOptions options,
      ContentReader content,
      Predicate<String> served,
      ReplySender replies,
      SessionSender.Factory senders,
      Backoff backoff,
      GatewayMetrics metrics) {
    this.provider = provider;
    this.options = options;
    this.reader = new DeliveryReader(content, provider.wildcards());
    this.served = served;
    this.replies = replies;
    this.senders = senders;
    this.backoff = backoff;
    this.meters = metrics.queues();
    long everyMs = Math.max(1, Math.min(MAX_CHECK_MS, options.ackTimeoutMs() / 4));
    timer.scheduleWithFixedDelay(this::check, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public QueueConsumer consume(QueueRequest request, QueueListener listener) {
    ConsumerActor consumer =
        new ConsumerActor(environment, request, listener, reader, options, meters);
    if (served.test(request.queue())) {
      add(consumer);
    } else {
      consumer.refuse(ErrorCode.FORBIDDEN, NOT_SERVED);
    }
    return consumer;
  }

  @Override
  public void browse(QueueRequest request, int max, BrowseListener listener) {
    if (!served.test(request.queue())) {
      listener.onRefused(ErrorCode.FORBIDDEN, NOT_SERVED);
    } else if (browses.incrementAndGet() > MAX_BROWSES) {
      browses.decrementAndGet();
      listener.onRefused(ErrorCode.RATE_LIMITED, "the node reads too many queues at the moment");
    } else {
      add(new Browse(environment, request, max, listener, reader, options.callTimeoutMs()));
    }
  }

  @Override
  public void publish(List<Publication> publications, PublishListener listener) {
    int unserved = PartRefused.firstUnserved(publications, senders);
    if (unserved > 0) {
      listener.onRefused(ErrorCode.FORBIDDEN, PartRefused.unserved(unserved));
    } else if (transactions.incrementAndGet() > MAX_TRANSACTIONS) {
      transactions.decrementAndGet();
      String why = "the node runs too many transactions at the moment";
      listener.onRefused(ErrorCode.RATE_LIMITED, why);
    } else {
      add(new QueueTransaction(environment, publications, listener, options.callTimeoutMs()));
    }
  }

  @Override
  public void list(String principal, int max, ResultListener<List<DurableState>> listener) {
    listener.onRefused(ErrorCode.UNSUPPORTED, "the broker does not list subscriptions");
  }

  @Override
  public void delete(TopicSubscription subscription, ResultListener<Void> listener) {
    listener.onRefused(ErrorCode.UNSUPPORTED, "durable subscriptions are not supported");
  }

  private synchronized void add(LinkUser user) {
    users.add(user);
    if (stopped) {
      user.onLost("the node is stopping");
    } else if (link == null) {
      if (!scheduled) {
        connect();
      }
    } else if (link.isConnected()) {
      user.onConnected(link);
    }
  }

  /** Closes all consumers and the connection; waits for the broker for at most some seconds. */
  public void stop() {
    synchronized (this) {
      stopped = true;
      if (link != null && link.isConnected()) {
        users.forEach(LinkUser::stop);
        awaitUsers();
      }
      endLink("the node is stopping");
    }
    timer.shutdownNow();
    steps.shutdown();
  }

  private synchronized void awaitUsers() {
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_MS);
    try {
      while (!users.isEmpty() && untilNs - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, untilNs - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Environment of the consumers. */
  private final class Environment implements ConsumerActor.Owner {
    @Override
    public Executor steps() {
      return steps;
    }

    @Override
    public long nowNs() {
      return System.nanoTime();
    }

    @Override
    public ReplySender replies() {
      return replies;
    }

    @Override
    public SessionSender.Factory senders() {
      return senders;
    }

    @Override
    public void later(Runnable task) {
      schedule(task);
    }

    @Override
    public void remove(LinkUser ended) {
      if (users.remove(ended)) {
        if (ended instanceof Browse) {
          browses.decrementAndGet();
        } else if (ended instanceof QueueTransaction) {
          transactions.decrementAndGet();
        }
      }
      if (users.isEmpty()) {
        onStep(JmsQueues.this::notifyStop); // not under the caller's locks
      }
    }
  }

  private void onStep(Runnable task) {
    try {
      steps.execute(task);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private synchronized void notifyStop() {
    notifyAll();
  }

  private void schedule(Runnable task) {
    try {
      long delayMs;
      synchronized (backoff) {
        delayMs = backoff.nextMs();
      }
      timer.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  /** Starts to connect. Under the lock of this. */
  private void connect() {
    if (connecting.get() >= MAX_CONNECTING) {
      connectLater();
      return;
    }
    JmsQueueLink opening =
        new JmsQueueLink(provider, options, senders, timeMs -> timeMs < suspectBeforeMs);
    link = opening;
    connecting.incrementAndGet();
    try {
      daemon(() -> connect(opening), "sluice-queue-connect").start();
    } catch (Throwable e) { // no thread can be started
      connecting.decrementAndGet();
      onStep(() -> onLost(opening, e));
    }
  }

  private void connect(JmsQueueLink opening) {
    try {
      opening.connect(() -> onLost(opening, null));
      onConnected(opening);
    } catch (Throwable e) { // a provider's class loading, lookup or client may fail in any way
      onLost(opening, e);
    } finally {
      connecting.decrementAndGet();
    }
  }

  private synchronized void onConnected(JmsQueueLink opened) {
    if (link != opened) {
      opened.close();
      return;
    }
    if (lost) {
      suspectBeforeMs = System.currentTimeMillis() + CLOCK_MARGIN_MS;
      lost = false;
    }
    opened.begin();
    synchronized (backoff) {
      backoff.reset();
    }
    meters.connected(true);
    log.atInfo().addKeyValue("consumers", users.size()).log("queue.connected");
    users.forEach(user -> user.onConnected(opened));
  }

  private synchronized void onLost(JmsQueueLink former, Throwable cause) {
    if (link != former) {
      return;
    }
    lost |= former.isConnected();
    log.atWarn()
        .addKeyValue("cause", Credentials.masked(String.valueOf(cause)))
        .log("queue.connection-lost");
    endLink("the broker is not connected");
    if (!stopped) {
      connectLater();
    }
  }

  /** Closes the connection and notifies its users. Under the lock of this. */
  private void endLink(String why) {
    JmsQueueLink former = link;
    link = null;
    meters.connected(false);
    if (former != null) {
      former.close();
    }
    users.forEach(user -> user.onLost(why));
  }

  /** Under the lock of this. */
  private void connectLater() {
    scheduled = true;
    schedule(this::reconnect);
  }

  private synchronized void reconnect() {
    scheduled = false;
    if (!stopped && link == null && !users.isEmpty()) {
      connect();
    }
  }

  private void check() {
    try {
      long nowNs = System.nanoTime();
      users.forEach(user -> user.check(nowNs));
      JmsQueueLink current = current();
      if (current != null && (current.isOverdue(nowNs) || isOverdue(nowNs))) {
        onLost(current, new JMSException("the broker does not respond"));
      }
    } catch (Throwable e) { // the executor would run no further checks
      log.atError().setCause(e).log("queue.fault");
    }
  }

  private boolean isOverdue(long nowNs) {
    return users.stream().anyMatch(user -> user.isOverdue(nowNs));
  }

  private synchronized JmsQueueLink current() {
    return link;
  }
}
