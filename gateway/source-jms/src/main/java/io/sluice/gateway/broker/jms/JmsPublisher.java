package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishCapacity;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.PublishResults;
import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.time.RunningClock;
import jakarta.jms.Connection;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
final class JmsPublisher {
  private static final Logger log = LoggerFactory.getLogger(JmsPublisher.class);
  private static final long MAX_CHECK_MS = 1_000;

  /** Maximum threads per lane; all but one of them are blocked in abandoned connections. */
  private static final int MAX_THREADS = 4;

  /** Time in a blocked send after which another session takes over the lane. */
  private static final long STUCK_NS = TimeUnit.SECONDS.toNanos(2);

  /** Maximum wait of a publish for a full destination or broker. */
  private static final long FULL_NS = TimeUnit.SECONDS.toNanos(5);

  /** Age of an unconfirmed publish after which confirmations are requested. */
  private static final long UNCONFIRMED_NS = TimeUnit.SECONDS.toNanos(1);

  private static final String NOT_CONNECTED = "the broker is not connected";
  private static final String FULL = "the publish queue of this node is full";
  private static final String LATE = "the publish timed out in the queue of this node";
  private static final String UNCONFIRMED =
      "the broker did not confirm the message before the connection was closed";
  private static final String LOST = "the broker accepts no publishes at the moment";
  private static final String STALLED =
      "the broker responds, but confirms no publishes: its store, disk or memory may be full";

  /** One connection for publishing. Guarded by the publisher. */
  private static final class Link {
    final long sinceNs;

    /** Null while it is being opened. */
    Connection connection;

    Link(long sinceNs) {
      this.sinceNs = sinceNs;
    }
  }

  /** Index of the connection. */
  private final int index;

  private final PublishLimits limits;
  private final Provider provider;
  private final boolean persistent;
  private final Backoff backoff;
  private final GatewayMetrics metrics;
  private final PublishResults results;
  private final PublishCapacity capacity;
  private final long checkMs;
  private final RunningClock clock;

  private final List<PublishLane> lanes;

  /** Time of the latest response of the broker on another connection. */
  private volatile long respondedNs;

  /** Reason for which no publishes are accepted. */
  private volatile String why = NOT_CONNECTED;

  private final AtomicInteger threads = new AtomicInteger();

  /** Opens connections and checks for publishes that the broker does not confirm. Never blocks. */
  private final ScheduledExecutorService worker = BrokerThreads.SYSTEM.timer("sluice-publishing");

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
    this(Provider.PUBLISHING, limits, provider, persistent, backoff, metrics);
  }

  private JmsPublisher(
      int index,
      PublishLimits limits,
      Provider provider,
      boolean persistent,
      Backoff backoff,
      GatewayMetrics metrics) {
    this.index = index;
    this.limits = limits;
    this.provider = provider;
    this.persistent = persistent;
    this.backoff = backoff;
    this.metrics = metrics;
    this.results = new PublishResults(metrics);
    this.capacity =
        new PublishCapacity(limits.waiting(), limits.waitingBytes(), metrics::publishesWaiting);
    this.checkMs = Math.max(1, Math.min(MAX_CHECK_MS, limits.timeoutMs() / 4));
    this.clock = new RunningClock(System::nanoTime, checkMs);
    this.lanes =
        Stream.generate(() -> new PublishLane(limits, capacity, clock::nowNs, metrics))
            .limit(limits.lanes())
            .toList();
    this.respondedNs = clock.nowNs();
  }

  /** Returns a publisher with the same options and another connection. */
  JmsPublisher another(int connection, Backoff delays) {
    return new JmsPublisher(connection, limits, provider, persistent, delays, metrics);
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
    abandonLink(NOT_CONNECTED, UNCONFIRMED);
  }

  /** The broker has responded on another connection. Any thread. */
  void onBrokerResponse() {
    respondedNs = clock.nowNs();
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
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, why);
      return;
    }
    Entry entry = new Entry(publication, request, publication.size(), listener);
    if (!capacity.reserve(entry.user(), entry.size)) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, FULL);
      return;
    }
    PublishLane lane = lanes.get(Math.floorMod(listener.requester().sequence(), limits.lanes()));
    lane.offer(entry);
    if (!open || (link == null && !onWorker(this::openLink))) {
      refuseQueued(lane, why); // abandoned in between
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
    Link opening = new Link(clock.nowNs());
    link = opening;
    try {
      if (threads.get() > MAX_THREADS * lanes.size()) {
        throw new IllegalStateException(
            "the JMS client blocks " + threads.get() + " publishing threads");
      }
      BrokerThreads.SYSTEM.start(() -> connectCounted(opening), "sluice-publish-connect");
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
      Connection connection = provider.connect(index, () -> onException(opening));
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

  private void onLinkLost(Link lost, Throwable cause) {
    onLinkLost(lost, cause, LOST, UNCONFIRMED);
  }

  private synchronized void onLinkLost(
      Link lost, Throwable cause, String reason, String unconfirmed) {
    if (link != lost) {
      return;
    }
    log.atWarn()
        .addKeyValue("cause", ServiceUrl.masked(cause == null ? reason : String.valueOf(cause)))
        .log("publish.connection-lost");
    abandonLink(reason, unconfirmed);
    try {
      worker.schedule(this::reopen, backoff.nextMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private synchronized void reopen() {
    open = connected;
  }

  /**
   * Refuses all publishes and closes the connection. Under the lock of this.
   *
   * @param reason explanation of publishes that were not sent
   * @param unconfirmed explanation of the others
   */
  private void abandonLink(String reason, String unconfirmed) {
    why = reason;
    open = false;
    Link former = link;
    link = null;
    for (PublishLane lane : lanes) {
      abandonInFlight(lane, unconfirmed);
      refuseQueued(lane, reason);
    }
    if (former != null && former.connection != null) {
      closeInBackground(former.connection);
    }
  }

  private void abandonInFlight(PublishLane lane, String unconfirmed) {
    for (Entry entry : lane.detach()) {
      refuse(entry.listener, ErrorCode.PUBLISH_FAILED, unconfirmed);
    }
  }

  private void refuseQueued(PublishLane lane, String reason) {
    for (Entry entry : lane.removeWaiting()) {
      refuse(entry.listener, ErrorCode.BROKER_UNAVAILABLE, reason);
    }
  }

  // Closing a lost connection may block until its timeouts.
  private void closeInBackground(Connection lost) {
    try {
      BrokerThreads.SYSTEM.start(() -> provider.discard(lost), "sluice-broker-close");
    } catch (OutOfMemoryError e) { // no thread can be started
      provider.discard(lost);
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
    if (isStalled(nowNs)) {
      onLinkLost(current, null, STALLED, STALLED);
      return;
    }
    for (PublishLane lane : lanes) {
      refuseBlocked(lane, nowNs);
      releaseStuck(lane, current, nowNs);
      if (link == current && isOverdue(lane.oldestNs(nowNs))) {
        replace(lane, current);
      } else {
        refuseOverdue(lane, nowNs);
      }
    }
  }

  /**
   * Returns whether the broker blocks the connection: it has responded on another one since the
   * oldest publish has waited for too long. The response precedes this check by an interval, in
   * which a confirmation would have arrived.
   */
  private boolean isStalled(long nowNs) {
    long oldestNs = lanes.stream().mapToLong(lane -> lane.oldestNs(nowNs)).max().orElse(0);
    long responseAgeNs = nowNs - respondedNs;
    return provider.blocksConnections()
        && oldestNs - responseAgeNs >= FULL_NS
        && responseAgeNs >= TimeUnit.MILLISECONDS.toNanos(checkMs / 2);
  }

  private void refuseBlocked(PublishLane lane, long nowNs) {
    PublishSession session = lane.owner();
    if (session != null && lane.oldestNs(nowNs) >= UNCONFIRMED_NS) {
      session.requestConfirmations();
    }
    List<Entry> blocked = lane.removeBlocked(nowNs, Math.min(FULL_NS, timeoutNs()));
    blocked.stream().map(Entry::targetName).distinct().forEach(JmsPublisher::logBlocked);
    for (Entry entry : blocked) {
      refuse(entry.listener, ErrorCode.PUBLISH_FAILED, PublishSession.blocked(entry));
    }
  }

  private static void logBlocked(String destination) {
    log.atWarn().addKeyValue("destination", destination).log("publish.blocked");
  }

  // A large message may be blocked after its first part. Another session takes over the lane; the
  // former one ends with its send.
  private void releaseStuck(PublishLane lane, Link current, long nowNs) {
    PublishSession session = lane.owner();
    Entry stuck = session == null ? null : session.stuck(nowNs, STUCK_NS);
    if (link != current || stuck == null || !lane.end(stuck)) {
      return;
    }
    logBlocked(stuck.targetName());
    refuse(stuck.listener, ErrorCode.PUBLISH_FAILED, PublishSession.blocked(stuck));
    try {
      serve(lane, current.connection);
    } catch (Throwable e) { // no thread can be started for the lane
      onLinkLost(current, e);
    }
    session.interrupt();
  }

  private long timeoutNs() {
    return TimeUnit.MILLISECONDS.toNanos(limits.timeoutMs());
  }

  private void refuseOverdue(PublishLane lane, long nowNs) {
    for (Entry entry : lane.removeOverdue(nowNs, timeoutNs())) {
      refuse(entry.listener, ErrorCode.BROKER_UNAVAILABLE, LATE);
    }
  }

  private boolean isOverdue(long ageNs) {
    return TimeUnit.NANOSECONDS.toMillis(ageNs) >= limits.timeoutMs();
  }

  // Other lanes may still work: a broker may throttle a single topic.
  private void replace(PublishLane lane, Link current) {
    log.atWarn().addKeyValue("after-ms", limits.timeoutMs()).log("publish.timeout");
    abandonInFlight(lane, UNCONFIRMED);
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

  /** Processes the confirmation of a publish. Any thread. */
  void onPublished(PublishLane lane, Entry entry) {
    if (lane.end(entry)) {
      results.publish(entry.listener);
    }
  }

  /** Processes the failure of a publish. Any thread. */
  void onRefused(PublishLane lane, Entry entry, ErrorCode code, String why) {
    if (lane.end(entry)) {
      refuse(entry.listener, code, why);
    }
  }

  /** Replaces a connection on which no session can be opened. Any thread. */
  void onUnusable(Connection connection, Throwable cause) {
    Link current = link;
    if (current != null && current.connection == connection) {
      onWorker(() -> onLinkLost(current, cause));
    }
  }

  /** Counts the end of the thread of a session. */
  void onEnded() {
    threads.decrementAndGet();
  }

  /** Notifies the listener of a refused publish. Any thread. */
  void refuse(PublishListener listener, ErrorCode code, String why) {
    results.refuse(listener, code, why);
  }
}
