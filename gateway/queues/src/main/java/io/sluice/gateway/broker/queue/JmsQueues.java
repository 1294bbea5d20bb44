package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.BrokerAccess;
import io.sluice.gateway.broker.jms.ReplySender;
import io.sluice.gateway.broker.jms.ServedNames;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.ClientSubscriptions;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.time.RunningClock;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
  private static final int MAX_BROWSES = 512;
  private static final int MAX_TRANSACTIONS = 512;
  private static final long MAX_CHECK_MS = 1_000;
  private static final long STOP_MS = 3_000;

  /** Maximum number of threads that hang in attempts to connect. */
  private static final int MAX_CONNECTING = 4;

  /** Maximum difference of the clocks of brokers, publishers and nodes. */
  private static final long CLOCK_MARGIN_MS = 10_000;

  private static final String NOT_SERVED = "queue name is reserved or invalid for this broker";
  private static final String TOPIC_NOT_SERVED =
      "topic name is reserved or invalid for subscriptions at this broker; a pattern must begin with"
          + " the level of a topic, and must not match internal topics";

  private final Provider provider;
  private final QueueOptions options;
  private final ClientSubscriptions subscriptions;
  private final DeliveryReader reader;
  private final ServedNames served;
  private final ReplySender replies;
  private final SessionSender.Factory senders;
  private final Backoff backoff;
  private final QueueMeters meters;
  private final BrokerThreads threads;
  private final Environment environment = new Environment();
  private final LinkUsers users = new LinkUsers();
  private final Shares browses = new Shares(MAX_BROWSES);
  private final SubscriptionRequests requests;
  private final RunningClock clock;
  private final Shares transactions = new Shares(MAX_TRANSACTIONS);
  private final AtomicInteger connecting = new AtomicInteger();
  private final ExecutorService steps;
  private final ScheduledExecutorService timer;

  /**
   * Wall-clock time of the connection, plus {@link #CLOCK_MARGIN_MS}. A broker that crashed before
   * it may have lost the delivery counts of the messages that it had accepted.
   */
  private volatile long countedSinceMs;

  // Guarded by this.
  private JmsQueueLink link;
  private boolean scheduled;
  private boolean stopped;

  /** Creates queues without a connection. */
  public JmsQueues(QueueOptions options, BrokerAccess broker) {
    this.threads = broker.threads();
    this.steps = threads.pool(STEP_THREADS, "sluice-queue-step");
    this.timer = threads.timer("sluice-queue-timer");
    this.provider = broker.provider();
    this.options = options;
    this.subscriptions = provider.subscriptions(options.subscriptions());
    this.reader = new DeliveryReader(broker.deliveries(), broker.names());
    this.served = broker.served();
    this.replies = broker.replySender();
    this.senders = broker.senders();
    this.backoff = broker.backoffs().get();
    this.meters = broker.metrics().queues();
    long everyMs = Math.max(1, Math.min(MAX_CHECK_MS, options.ackTimeoutMs() / 4));
    this.clock = new RunningClock(threads::nowNs, everyMs);
    timer.scheduleWithFixedDelay(this::check, everyMs, everyMs, TimeUnit.MILLISECONDS);
    long expireMs = options.subscriptions().checkIntervalMs();
    this.requests = new SubscriptionRequests(environment, this::add, options.callTimeoutMs());
    timer.scheduleWithFixedDelay(requests::expire, expireMs, expireMs, TimeUnit.MILLISECONDS);
  }

  @Override
  public QueueConsumer consume(QueueRequest request, QueueListener listener) {
    TopicSubscription subscription = request.subscription();
    ConsumerActor consumer =
        new ConsumerActor(environment, request, listener, reader(subscription), options, meters);
    if (subscription == null && !served.isServedQueue(request.queue())) {
      consumer.refuse(ErrorCode.FORBIDDEN, NOT_SERVED);
    } else if (subscription != null && !served.isServedTopic(subscription.topic())) {
      consumer.refuse(ErrorCode.FORBIDDEN, TOPIC_NOT_SERVED);
    } else {
      if (subscription != null) {
        requests.onUsed(subscription);
      }
      add(consumer);
    }
    return consumer;
  }

  private DeliveryReader reader(TopicSubscription subscription) {
    return subscription != null && TopicPattern.isPattern(subscription.topic())
        ? reader.ofPattern(subscription.topic(), provider::topicOf)
        : reader;
  }

  @Override
  public void browse(QueueRequest request, int max, BrowseListener listener) {
    if (!served.isServedQueue(request.queue())) {
      listener.onRefused(ErrorCode.FORBIDDEN, NOT_SERVED);
    } else if (!browses.take(request.requester().user(), 1)) {
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
    } else if (!transactions.take(listener.requester().user(), 1)) {
      String why = "the node runs too many transactions at the moment";
      listener.onRefused(ErrorCode.RATE_LIMITED, why);
    } else {
      add(new QueueTransaction(environment, publications, listener, options.callTimeoutMs()));
    }
  }

  @Override
  public void list(
      Requester requester, String principal, int max, ResultListener<List<DurableState>> listener) {
    requests.list(requester.user(), principal, max, listener);
  }

  @Override
  public void delete(
      Requester requester, TopicSubscription subscription, ResultListener<Void> listener) {
    if (served.isServedTopic(subscription.topic())) {
      // A client may delete the subscription whose consumer it has just closed.
      String user = requester.user();
      users.closed(subscription).thenRun(() -> requests.delete(user, subscription, listener));
    } else {
      listener.onRefused(ErrorCode.FORBIDDEN, TOPIC_NOT_SERVED);
    }
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

  /** Environment of the users. */
  private final class Environment implements LinkUser.Owner {
    @Override
    public Executor steps() {
      return steps;
    }

    @Override
    public long nowNs() {
      return clock.nowNs();
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
    public Backoff backoff() {
      return backoff.another();
    }

    @Override
    public void later(Backoff own, Runnable task) {
      schedule(own, task);
    }

    @Override
    public void remove(LinkUser ended) {
      if (users.remove(ended)) {
        count(ended);
      }
      if (users.isEmpty()) {
        onStep(JmsQueues.this::notifyStop); // not under the caller's locks
      }
    }
  }

  private void count(LinkUser ended) {
    if (ended instanceof Browse) {
      browses.release(ended.user(), 1);
    } else if (ended instanceof QueueTransaction) {
      transactions.release(ended.user(), 1);
    } else if (ended instanceof LinkRequest) {
      requests.onEnded(ended.user());
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

  private void schedule(Backoff delays, Runnable task) {
    try {
      long delayMs;
      synchronized (backoff) { // whose random numbers all instances share
        delayMs = delays.nextMs();
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
        new JmsQueueLink(
            provider, options, subscriptions, senders, this::isSuspect, threads, clock.nowNs());
    link = opening;
    connecting.incrementAndGet();
    try {
      threads.start(() -> connect(opening), "sluice-queue-connect");
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
      opened.close(false);
      return;
    }
    countedSinceMs = threads.wallMs() + CLOCK_MARGIN_MS;
    opened.begin();
    synchronized (backoff) {
      backoff.reset();
    }
    meters.connected(true);
    log.atInfo().addKeyValue("consumers", users.size()).log("queue.connected");
    users.forEach(user -> user.onConnected(opened));
  }

  // A time in the future proves that the publisher's clock is wrong.
  private boolean isSuspect(long timeMs) {
    return timeMs < countedSinceMs || timeMs > threads.wallMs() + CLOCK_MARGIN_MS;
  }

  private synchronized void onLost(JmsQueueLink former, Throwable cause) {
    if (link != former) {
      return;
    }
    log.atWarn()
        .addKeyValue("cause", ServiceUrl.masked(String.valueOf(cause)))
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
      former.close(!users.isEmpty());
    }
    users.forEach(user -> user.onLost(why));
  }

  /** Under the lock of this. */
  private void connectLater() {
    scheduled = true;
    schedule(backoff, this::reconnect);
  }

  private synchronized void reconnect() {
    scheduled = false;
    if (!stopped && link == null && !users.isEmpty()) {
      connect();
    }
  }

  private void check() {
    try {
      if (!clock.tick()) {
        return; // settlements and responses of a pause are read first
      }
      long nowNs = clock.nowNs();
      users.forEach(user -> user.check(nowNs));
      JmsQueueLink current = current();
      if (current != null) {
        current.check(nowNs);
      }
      if (current != null && (current.isOverdue(nowNs) || isOverdue(nowNs))) {
        onLost(current, new JMSException("the broker does not respond"));
      }
    } catch (Throwable e) { // the executor would run no further checks
      log.atError().setCause(e).log("queue.fault");
    }
  }

  private boolean isOverdue(long nowNs) {
    return users.anyMatch(user -> user.isOverdue(nowNs));
  }

  private synchronized JmsQueueLink current() {
    return link;
  }
}
