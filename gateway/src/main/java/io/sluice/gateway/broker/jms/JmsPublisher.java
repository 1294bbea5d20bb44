package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.Connection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes of all clients. Owns the lanes in which they wait, and a connection to the broker that
 * carries nothing else: a broker that holds publishers back must not hold back deliveries. The
 * connection is opened for the first publish.
 *
 * <p>Any thread. {@link #publish} neither blocks nor takes a lock.
 */
final class JmsPublisher implements PublishSession.Outcomes {
  private static final Logger log = LoggerFactory.getLogger(JmsPublisher.class);
  private static final long MOST_CHECK_MS = 1_000;

  /** Threads per lane; all but one of them hang in connections that were given up. */
  private static final int MOST_THREADS = 4;

  private static final String AWAY = "the broker is away";
  private static final String FULL = "as many publishes of this node wait already as it allows";
  private static final String LATE = "the publish has waited too long for earlier ones";
  private static final String UNANSWERED = "the broker did not answer before its connection ended";

  /** One connection for publishing. Guarded by the publisher. */
  private static final class Link {
    final long sinceNs = System.nanoTime();

    /** Null while it is being opened. */
    Connection connection;
  }

  private final PublishLimits limits;
  private final Provider provider;
  private final boolean persistent;
  private final Backoff backoff;
  private final GatewayMetrics metrics;
  private final PublishLane.Room room;
  private final List<PublishLane> lanes;
  private final AtomicInteger threads = new AtomicInteger();

  /** Opens connections and looks for publishes that the broker leaves unanswered. Never blocks. */
  private final ScheduledExecutorService worker =
      Executors.newSingleThreadScheduledExecutor(JmsPublisher::workerThread);

  /** Whether publishes are accepted. Written under the lock of this. */
  private volatile boolean open;

  /** Null while there is no connection. Written under the lock of this. */
  private volatile Link link;

  // Guarded by this.
  private boolean connected;
  private boolean stopped;

  JmsPublisher(
      PublishLimits limits,
      Provider provider,
      boolean persistent,
      Backoff backoff,
      GatewayMetrics metrics) {
    this.limits = limits;
    this.provider = provider;
    this.persistent = persistent;
    this.backoff = backoff;
    this.metrics = metrics;
    this.room = new PublishLane.Room(limits, metrics);
    this.lanes =
        Stream.generate(() -> new PublishLane(limits, room, metrics))
            .limit(limits.lanes())
            .toList();
  }

  private static Thread workerThread(Runnable work) {
    return daemon(work, "sluice-publishing");
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    long everyMs = Math.max(1, Math.min(MOST_CHECK_MS, limits.timeoutMs() / 4));
    worker.scheduleWithFixedDelay(this::check, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  /** Answers all publishes, and takes no more. */
  void stop() {
    synchronized (this) {
      stopped = true;
      onBrokerLost();
    }
    worker.shutdownNow();
  }

  /** The node is connected to the broker. */
  synchronized void onBrokerConnected() {
    connected = !stopped;
    open = connected;
  }

  /** The node has lost the broker: the connection for publishing is given up, too. */
  synchronized void onBrokerLost() {
    connected = false;
    open = false;
    giveUp(AWAY);
  }

  void publish(Publication publication, PublishListener listener) {
    if (!open) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, AWAY);
      return;
    }
    Entry entry = new Entry(publication, publication.size(), listener);
    if (!room.reserve(entry.size)) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, FULL);
      return;
    }
    PublishLane lane = lanes.get(Math.floorMod(listener.sequence(), lanes.size()));
    lane.offer(entry);
    if (!open || (link == null && !onWorker(this::openLink))) {
      refuseWaiting(lane, AWAY); // given up meanwhile
    }
  }

  private boolean onWorker(Runnable task) {
    try {
      worker.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false; // the node is stopping
    }
  }

  private synchronized void openLink() {
    if (!open || link != null) {
      return;
    }
    Link opening = new Link();
    link = opening;
    try {
      if (threads.get() > MOST_THREADS * lanes.size()) {
        throw new IllegalStateException("the JMS client blocks " + threads.get() + " threads");
      }
      daemon(() -> connectCounted(opening), "sluice-publish-connect").start();
    } catch (Throwable e) { // no thread
      onLinkLost(opening, e);
    }
  }

  private void connectCounted(Link opening) {
    threads.incrementAndGet();
    try {
      connect(opening);
    } finally {
      threads.decrementAndGet();
    }
  }

  private void connect(Link opening) {
    try {
      Connection connection = provider.connect(Provider.PUBLISHING, () -> onException(opening));
      if (!begin(opening, connection)) {
        closeAside(connection);
      }
    } catch (Throwable e) { // a provider's class loading, lookup or client may fail in any way
      onLinkLost(opening, e);
    }
  }

  // Of a broken connection that sends in transactions the next transaction fails. A client may
  // report one refused message here, too, and then the others need not fail.
  private void onException(Link broken) {
    if (provider.confirmsAsynchronously()) {
      onWorker(() -> onLinkLost(broken, null));
    }
  }

  private synchronized boolean begin(Link opened, Connection connection) {
    if (link != opened) {
      return false;
    }
    opened.connection = connection;
    lanes.forEach(lane -> serve(lane, connection));
    backoff.reset();
    return true;
  }

  private void serve(PublishLane lane, Connection connection) {
    new PublishSession(lane, connection, provider, persistent, limits, this).start();
    threads.incrementAndGet();
  }

  private synchronized void onLinkLost(Link lost, Throwable cause) {
    if (link != lost) {
      return;
    }
    log.atWarn()
        .addKeyValue("cause", Credentials.masked(String.valueOf(cause)))
        .log("publish.connection-lost");
    open = false;
    giveUp("the broker takes no publishes just now");
    try {
      worker.schedule(this::reopen, backoff.nextMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private synchronized void reopen() {
    open = connected;
  }

  /** Answers everything, and drops the connection. Under the lock of this. */
  private void giveUp(String why) {
    Link former = link;
    link = null;
    for (PublishLane lane : lanes) {
      giveUp(lane);
      refuseWaiting(lane, why);
    }
    if (former != null && former.connection != null) {
      closeAside(former.connection);
    }
  }

  private void giveUp(PublishLane lane) {
    for (Entry entry : lane.detach()) {
      refuse(entry.listener, ErrorCode.PUBLISH_FAILED, UNANSWERED);
    }
  }

  private void refuseWaiting(PublishLane lane, String why) {
    for (Entry entry : lane.removeWaiting()) {
      refuse(entry.listener, ErrorCode.BROKER_UNAVAILABLE, why);
    }
  }

  // Closing a dead connection may take until its time-outs.
  private static void closeAside(Connection dead) {
    try {
      daemon(() -> close(dead), "sluice-broker-close").start();
    } catch (OutOfMemoryError e) { // no thread
      close(dead);
    }
  }

  private static void close(Connection dead) {
    try {
      dead.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("a publishing connection did not close");
    }
  }

  private void check() {
    try {
      checkLink();
    } catch (Throwable e) { // the executor would stop checking
      log.atError().setCause(e).log("publish.fault");
    }
  }

  private synchronized void checkLink() {
    Link current = link;
    long nowNs = System.nanoTime();
    if (current == null) {
      return;
    }
    if (current.connection == null) {
      if (isOverdue(nowNs - current.sinceNs)) {
        onLinkLost(current, null);
      }
      return;
    }
    for (PublishLane lane : lanes) {
      if (link == current && isOverdue(lane.oldestNs(nowNs))) {
        replace(lane, current);
      } else {
        refuseOverdue(lane, nowNs);
      }
    }
  }

  private void refuseOverdue(PublishLane lane, long nowNs) {
    long limitNs = TimeUnit.MILLISECONDS.toNanos(limits.timeoutMs());
    for (Entry entry : lane.removeOverdue(nowNs, limitNs)) {
      refuse(entry.listener, ErrorCode.BROKER_UNAVAILABLE, LATE);
    }
  }

  private boolean isOverdue(long ageNs) {
    return TimeUnit.NANOSECONDS.toMillis(ageNs) >= limits.timeoutMs();
  }

  // The others may still work: a broker may hold back one topic alone.
  private void replace(PublishLane lane, Link current) {
    log.atWarn().addKeyValue("after-ms", limits.timeoutMs()).log("publish.timeout");
    giveUp(lane);
    refuseWaiting(lane, "the broker does not answer publishes");
    if (threads.get() > MOST_THREADS * lanes.size()) {
      onLinkLost(current, null);
    } else {
      try {
        serve(lane, current.connection);
      } catch (Throwable e) { // no thread: the lane would have none, either
        onLinkLost(current, e);
      }
    }
  }

  @Override
  public void onPublished(PublishLane lane, Entry entry) {
    if (lane.end(entry)) {
      metrics.published();
      answer(() -> entry.listener.onPublished());
    }
  }

  @Override
  public void onRefused(PublishLane lane, Entry entry, ErrorCode code, String why) {
    if (lane.end(entry)) {
      refuse(entry.listener, code, why);
    }
  }

  @Override
  public void onUnusable(Connection connection, Throwable cause) {
    Link current = link;
    if (current != null && current.connection == connection) {
      onWorker(() -> onLinkLost(current, cause));
    }
  }

  @Override
  public void onEnded() {
    threads.decrementAndGet();
  }

  void refuse(PublishListener listener, ErrorCode code, String why) {
    metrics.publishRefused(code.code());
    answer(() -> listener.onRefused(code, why));
  }

  // A failing answer must not keep other publishes from theirs.
  private static void answer(Runnable answer) {
    try {
      answer.run();
    } catch (Throwable e) {
      log.atError().setCause(e).log("publish.unanswered");
    }
  }
}
