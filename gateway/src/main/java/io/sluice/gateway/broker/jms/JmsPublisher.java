package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.time.RunningClock;
import jakarta.jms.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishing side of the broker: the lanes in which publishes are queued, and a connection for them
 * only. A broker that throttles publishers must not throttle deliveries. The connection is opened
 * for the first publish.
 *
 * <p>Any thread. {@link #publish} neither blocks nor takes a lock.
 */
final class JmsPublisher implements PublishSession.Outcomes {
  private static final Logger log = LoggerFactory.getLogger(JmsPublisher.class);
  private static final long MAX_CHECK_MS = 1_000;

  /** Maximum threads per lane; all but one of them are blocked in abandoned connections. */
  private static final int MAX_THREADS = 4;

  /** Time in a blocked send after which its destination is isolated, if others make progress. */
  private static final long BLOCKED_NS = TimeUnit.SECONDS.toNanos(2);

  /** The same without progress. */
  private static final long STALLED_NS = TimeUnit.SECONDS.toNanos(5);

  /** Maximum number of threads that wait for blocked destinations. */
  private static final int MAX_STUCK = 8;

  /** Time without a publish after which a destination no longer counts as blocked. */
  private static final int FORGOTTEN_TIMEOUTS = 5;

  private static final String NOT_CONNECTED = "the broker is not connected";
  private static final String FULL = "the publish queue of this node is full";
  private static final String LATE = "the publish timed out in the queue of this node";
  private static final String UNCONFIRMED =
      "the broker did not confirm the message before the connection was closed";

  /** One connection for publishing. Guarded by the publisher. */
  private static final class Link {
    final long sinceNs;

    /** Null while it is being opened. */
    Connection connection;

    Link(long sinceNs) {
      this.sinceNs = sinceNs;
    }
  }

  /**
   * Destination whose senders the broker blocks. One publish at a time waits for it, others are
   * refused.
   */
  private static final class Blocked {
    /** The publish that waits, or null. */
    final AtomicReference<Entry> waiting = new AtomicReference<>();

    /** Session in whose send it waits; null while it waits in {@link #probes}. */
    volatile PublishSession stuck;

    volatile long usedNs;

    /** Ends the publish that waits in a send. Returns false if it does not wait there. */
    boolean end(Entry entry) {
      if (stuck == null || !waiting.compareAndSet(entry, null)) {
        return false;
      }
      stuck = null;
      return true;
    }
  }

  private final PublishLimits limits;
  private final Provider provider;
  private final boolean persistent;
  private final Backoff backoff;
  private final GatewayMetrics metrics;
  private final PublishLane.Capacity capacity;
  private final long checkMs;
  private final RunningClock clock;

  /** Lanes of clients, then {@link #probes}. */
  private final List<PublishLane> lanes;

  /** Lane of publishes to blocked destinations. */
  private final PublishLane probes;

  private final Map<Destination, Blocked> blocked = new ConcurrentHashMap<>();
  private volatile long confirmedNs;
  private final AtomicInteger threads = new AtomicInteger();

  /** Opens connections and checks for publishes that the broker does not confirm. Never blocks. */
  private final ScheduledExecutorService worker =
      Executors.newSingleThreadScheduledExecutor(JmsPublisher::workerThread);

  /** True if publishes are accepted. Written under the lock of this. */
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
    this.capacity = new PublishLane.Capacity(limits, metrics);
    this.checkMs = Math.max(1, Math.min(MAX_CHECK_MS, limits.timeoutMs() / 4));
    this.clock = new RunningClock(System::nanoTime, checkMs);
    this.lanes =
        Stream.generate(() -> new PublishLane(limits, capacity, clock::nowNs, metrics))
            .limit(limits.lanes() + 1L)
            .toList();
    this.probes = lanes.get(limits.lanes());
    this.confirmedNs = clock.nowNs();
  }

  private static Thread workerThread(Runnable work) {
    return daemon(work, "sluice-publishing");
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Starts the periodic check for overdue publishes. */
  void start() {
    worker.scheduleWithFixedDelay(this::check, checkMs, checkMs, TimeUnit.MILLISECONDS);
  }

  /** Refuses all publishes, queued and future ones. */
  void stop() {
    synchronized (this) {
      stopped = true;
      onBrokerLost();
    }
    worker.shutdownNow();
  }

  /** Accepts publishes: the node is connected to the broker. */
  synchronized void onBrokerConnected() {
    connected = !stopped;
    open = connected;
  }

  /** Refuses publishes and closes the publishing connection: the node has lost the broker. */
  synchronized void onBrokerLost() {
    connected = false;
    open = false;
    abandonLink(NOT_CONNECTED);
  }

  /** Queues a publish; its listener is notified of the result. */
  void publish(Publication publication, PublishListener listener) {
    publish(publication, null, listener);
  }

  /**
   * Queues a publish, a request or a reply.
   *
   * @param request headers of a request or a reply, or null
   */
  void publish(Publication publication, RequestHeaders request, PublishListener listener) {
    if (!open) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
      return;
    }
    Entry entry = new Entry(publication, request, publication.size(), listener);
    if (!capacity.reserve(entry)) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, FULL);
      return;
    }
    PublishLane lane = lane(entry);
    if (lane == null) {
      capacity.release(entry);
      refuse(listener, ErrorCode.PUBLISH_FAILED, PublishSession.BLOCKED);
      return;
    }
    lane.offer(entry);
    if (!open || (link == null && !onWorker(this::openLink))) {
      refuseQueued(lane, NOT_CONNECTED); // abandoned in between
    }
  }

  /** Returns null for a blocked destination for which another publish waits. */
  private PublishLane lane(Entry entry) {
    Blocked destination = blocked(entry);
    if (destination == null) {
      return lanes.get(Math.floorMod(entry.listener.requester().sequence(), limits.lanes()));
    }
    destination.usedNs = clock.nowNs();
    return destination.waiting.compareAndSet(null, entry) ? probes : null;
  }

  private Blocked blocked(Entry entry) {
    return blocked.isEmpty() || entry.isReply() ? null : blocked.get(entry.destination());
  }

  @Override
  public boolean isBlocked(PublishLane lane, Entry entry) {
    Blocked destination = blocked(entry);
    return destination != null && lane != probes && destination.waiting.get() != entry;
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
    Link opening = new Link(clock.nowNs());
    link = opening;
    try {
      if (threads.get() > MAX_THREADS * lanes.size()) {
        throw new IllegalStateException(
            "the JMS client blocks " + threads.get() + " publishing threads");
      }
      daemon(() -> connectCounted(opening), "sluice-publish-connect").start();
    } catch (Throwable e) { // no thread can be started
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
        closeInBackground(connection);
      }
    } catch (Throwable e) { // a provider's class loading, lookup or client may fail in any way
      onLinkLost(opening, e);
    }
  }

  // If the publishers use transactions, the next one fails on a broken connection. Then this event
  // is
  // ignored, because a client also reports a single refused message here.
  private void onException(Link failed) {
    if (provider.confirmsAsynchronously()) {
      onWorker(() -> onLinkLost(failed, null));
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
    abandonLink("the broker accepts no publishes at the moment");
    try {
      worker.schedule(this::reopen, backoff.nextMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private synchronized void reopen() {
    open = connected;
  }

  /** Refuses all publishes and closes the connection. Under the lock of this. */
  private void abandonLink(String why) {
    Link former = link;
    link = null;
    blocked.values().forEach(destination -> giveUp(destination, UNCONFIRMED));
    for (PublishLane lane : lanes) {
      abandonInFlight(lane);
      refuseQueued(lane, why);
    }
    blocked.clear();
    if (former != null && former.connection != null) {
      closeInBackground(former.connection);
    }
  }

  private void abandonInFlight(PublishLane lane) {
    for (Entry entry : lane.detach()) {
      refuse(entry, ErrorCode.PUBLISH_FAILED, UNCONFIRMED);
    }
  }

  private void refuseQueued(PublishLane lane, String why) {
    for (Entry entry : lane.removeWaiting()) {
      refuse(entry, ErrorCode.BROKER_UNAVAILABLE, why);
    }
  }

  // Closing a lost connection may block until its timeouts.
  private static void closeInBackground(Connection lost) {
    try {
      daemon(() -> close(lost), "sluice-broker-close").start();
    } catch (OutOfMemoryError e) { // no thread can be started
      close(lost);
    }
  }

  private static void close(Connection lost) {
    try {
      lost.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("publishing connection did not close");
    }
  }

  private void check() {
    try {
      if (clock.tick()) { // else the broker's answers of a pause are read first
        checkLink();
      }
    } catch (Throwable e) { // the executor would run no further checks
      log.atError().setCause(e).log("publish.fault");
    }
  }

  private synchronized void checkLink() {
    Link current = link;
    long nowNs = clock.nowNs();
    if (current == null) {
      return;
    }
    if (current.connection == null) {
      if (isOverdue(nowNs - current.sinceNs)) {
        onLinkLost(current, null);
      }
      return;
    }
    checkBlocked(nowNs);
    for (PublishLane lane : lanes) {
      isolate(lane, current, nowNs);
      if (link == current && isOverdue(lane.oldestNs(nowNs))) {
        replace(lane, current);
      } else {
        refuseOverdue(lane, nowNs);
      }
    }
  }

  /** Ends publishes that have waited too long for a blocked destination. */
  private void checkBlocked(long nowNs) {
    for (Blocked destination : blocked.values()) {
      Entry waiting = destination.waiting.get();
      if (waiting != null && destination.stuck != null && isOverdue(nowNs - waiting.startedNs())) {
        giveUp(destination, PublishSession.BLOCKED);
      }
    }
    blocked
        .values()
        .removeIf(
            destination ->
                destination.waiting.get() == null
                    && isOverdue((nowNs - destination.usedNs) / FORGOTTEN_TIMEOUTS));
  }

  private void giveUp(Blocked destination, String why) {
    PublishSession stuck = destination.stuck;
    Entry waiting = destination.waiting.get();
    if (waiting != null && destination.end(waiting)) {
      stuck.interrupt();
      refuse(waiting.listener, ErrorCode.PUBLISH_FAILED, why);
    }
  }

  // Another session takes over the lane; the former one ends with its send.
  private void isolate(PublishLane lane, Link current, long nowNs) {
    PublishSession session = lane.owner();
    Entry stuck =
        session == null ? null : session.stuck(nowNs, STALLED_NS, BLOCKED_NS, confirmedNs);
    if (link != current || stuck == null || stuck.isReply() || stuckThreads() >= MAX_STUCK) {
      return;
    }
    Blocked destination = blocked.computeIfAbsent(stuck.destination(), any -> new Blocked());
    destination.usedNs = nowNs;
    Entry other = destination.waiting.compareAndExchange(null, stuck);
    if (other == null || other == stuck) {
      destination.stuck = session;
      if (!lane.end(stuck)) {
        destination.end(stuck); // it has ended
        return;
      }
      log.atWarn().addKeyValue("destination", stuck.destination().name()).log("publish.blocked");
    } else if (!lane.end(stuck)) {
      return;
    } else {
      session.interrupt();
      refuse(stuck.listener, ErrorCode.PUBLISH_FAILED, PublishSession.BLOCKED);
    }
    try {
      serve(lane, current.connection);
    } catch (Throwable e) { // no thread can be started for the lane
      onLinkLost(current, e);
    }
  }

  private long stuckThreads() {
    return blocked.values().stream().filter(destination -> destination.stuck != null).count();
  }

  private void refuseOverdue(PublishLane lane, long nowNs) {
    long limitNs = TimeUnit.MILLISECONDS.toNanos(limits.timeoutMs());
    for (Entry entry : lane.removeOverdue(nowNs, limitNs)) {
      refuse(entry, ErrorCode.BROKER_UNAVAILABLE, LATE);
    }
  }

  private boolean isOverdue(long ageNs) {
    return TimeUnit.NANOSECONDS.toMillis(ageNs) >= limits.timeoutMs();
  }

  // Other lanes may still work: a broker may throttle a single topic.
  private void replace(PublishLane lane, Link current) {
    log.atWarn().addKeyValue("after-ms", limits.timeoutMs()).log("publish.timeout");
    abandonInFlight(lane);
    refuseQueued(lane, "the broker does not confirm publishes");
    if (threads.get() > MAX_THREADS * lanes.size()) {
      onLinkLost(current, null);
    } else {
      try {
        serve(lane, current.connection);
      } catch (Throwable e) { // no thread can be started for the lane
        onLinkLost(current, e);
      }
    }
  }

  @Override
  public void onPublished(PublishLane lane, Entry entry) {
    confirmedNs = clock.nowNs();
    if (end(lane, entry)) {
      if (!blocked.isEmpty()) {
        onAccepted(entry);
      }
      metrics.published();
      notifyListener(entry.listener, entry.listener::onPublished);
    }
  }

  @Override
  public void onRefused(PublishLane lane, Entry entry, ErrorCode code, String why) {
    if (end(lane, entry)) {
      refuse(entry, code, why);
    }
  }

  private boolean end(PublishLane lane, Entry entry) {
    if (lane.end(entry)) {
      return true;
    }
    Blocked destination = blocked(entry);
    return destination != null && destination.end(entry);
  }

  // Publishes that were sent before it was blocked prove nothing.
  private void onAccepted(Entry entry) {
    Blocked destination = blocked(entry);
    if (destination != null
        && destination.stuck == null
        && (destination.waiting.get() == null || destination.waiting.get() == entry)) {
      blocked.remove(entry.destination(), destination);
    }
  }

  private void refuse(Entry entry, ErrorCode code, String why) {
    Blocked destination = blocked(entry);
    if (destination != null) {
      destination.waiting.compareAndSet(entry, null);
    }
    refuse(entry.listener, code, why);
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

  /** Counts a refused publish and notifies its listener. Any thread. */
  void refuse(PublishListener listener, ErrorCode code, String why) {
    metrics.publishRefused(code.code());
    notifyListener(listener, () -> listener.onRefused(code, why));
  }

  // The failure of a listener must not affect other publishes.
  private static void notifyListener(PublishListener listener, Runnable notification) {
    try {
      notification.run();
    } catch (Throwable e) {
      log.atError()
          .addKeyValue("session", listener.requester().session())
          .setCause(e)
          .log("publish.unanswered");
    }
  }
}
