package io.sluice.gateway.broker.request;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.jms.BrokerAccess;
import io.sluice.gateway.broker.jms.ReplyReader;
import io.sluice.gateway.broker.jms.ReplyReader.UnreadableReply;
import io.sluice.gateway.broker.jms.RequestSender;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.gateway.time.RunningClock;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests over the broker: one temporary reply queue on a separate connection, opened for the
 * first request. Requests that arrive while it is being opened wait for it. If it is lost, no reply
 * to a pending request can arrive, and all of them end.
 *
 * <p>Any thread. {@link #request} never waits.
 */
public final class JmsRequests implements Requests {
  private static final Logger log = LoggerFactory.getLogger(JmsRequests.class);

  /** Interval of the check for overdue requests, while there are pending ones. */
  private static final long CHECK_MS = 20;

  /** A longer time between two checks is a pause, and not the lateness of a timer. */
  private static final long PAUSE_MS = 100;

  /** Interval of the check for a reply queue that the broker has closed. */
  private static final long CLOSED_CHECK_NS = TimeUnit.SECONDS.toNanos(1);

  /** Maximum threads that open a reply queue; all but one are blocked by the JMS client. */
  private static final int MAX_THREADS = 4;

  private static final String NOT_CONNECTED = "the broker is not connected";
  private static final String FULL = "the node has its maximum number of pending requests";
  private static final String NO_ROOM =
      "too many requests wait for the reply queue of this node to be opened";
  private static final String LOST = "the node has lost its reply queue";
  private static final String CLOSED = "the node has no reply queue at the moment";

  /** One reply queue. */
  private final class Link {
    final long sinceNs = clock.nowNs();

    /** Null while it is being opened. */
    volatile ReplyQueue queue;

    void onMessage(Message message) {
      try {
        onReply(table.get(message.getJMSCorrelationID()), message);
      } catch (JMSException | RuntimeException e) {
        metrics.replyLate();
        log.atDebug().setCause(e).log("reply without a readable correlation id");
      }
    }
  }

  private final RequestLimits limits;
  private final Provider provider;
  private final RequestSender sender;
  private final ReplyReader reader;
  private final Backoff backoff;
  private final GatewayMetrics metrics;
  private final PendingRequests table;

  /** Requests that wait for the reply queue, in order. */
  private final Queue<PendingRequest> waiting = new ConcurrentLinkedQueue<>();

  private final Shares waitingBytes;
  private final AtomicBoolean checking = new AtomicBoolean();
  private final AtomicInteger threads = new AtomicInteger();

  /** Runs checks, and sends requests that waited for the reply queue. Never blocks. */
  private final ScheduledExecutorService worker;

  private final BrokerThreads system;

  /** Stopped while no check is scheduled. */
  private final RunningClock clock;

  /** True if requests are accepted. Written under the lock of this. */
  private volatile boolean open;

  /** Null while there is none. Written under the lock of this. */
  private volatile Link link;

  /** True while the node is connected to the broker. Written under the lock of this. */
  private volatile boolean connected;

  /** Guarded by this. */
  private boolean stopped;

  /** Used by the worker only. */
  private long closedCheckNs;

  /** Creates an instance that accepts no requests until the broker is connected. */
  public JmsRequests(RequestLimits limits, BrokerAccess broker) {
    this.system = broker.threads();
    this.worker = system.timer("sluice-requests");
    this.clock = new RunningClock(system::nowNs, PAUSE_MS);
    this.closedCheckNs = clock.nowNs();
    this.limits = limits;
    this.waitingBytes = new Shares(limits.waitingBytes());
    this.provider = broker.provider();
    this.sender = broker.requestSender();
    this.reader = broker.replies();
    this.backoff = broker.backoffs().get();
    this.metrics = broker.metrics();
    this.table = new PendingRequests(limits.pending(), clock::nowNs, metrics);
  }

  /** Ends all requests, pending and future ones. */
  public void stop() {
    synchronized (this) {
      stopped = true;
      onBrokerLost();
    }
    worker.shutdownNow();
  }

  /** Accepts requests: the node is connected to the broker. */
  public synchronized void onBrokerConnected() {
    connected = !stopped;
    open = connected;
  }

  /** Ends all requests and closes the reply queue: the node has lost the broker. */
  public synchronized void onBrokerLost() {
    connected = false;
    open = false;
    abandonLink(ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
  }

  @Override
  public Request request(Publication publication, long timeoutMs, ReplyListener listener) {
    if (!open) {
      return refuse(listener, ErrorCode.BROKER_UNAVAILABLE, unavailable());
    }
    PendingRequest request = table.add(publication, timeoutMs, listener);
    if (request == null) {
      return refuse(listener, ErrorCode.TOO_MANY_REQUESTS, FULL);
    }
    Link current = link;
    if (current != null && current.queue != null && waiting.isEmpty()) {
      send(request, current);
    } else {
      await(request);
    }
    startChecks();
    return request;
  }

  private String unavailable() {
    return connected ? CLOSED : NOT_CONNECTED;
  }

  private Request refuse(ReplyListener listener, ErrorCode code, String why) {
    metrics.requestEnded(code.code());
    table.notifyListener(listener, () -> listener.onRefused(code, why));
    return null;
  }

  private void send(PendingRequest request, Link current) {
    Publication publication = request.takePublication();
    if (publication == null) {
      return; // it has ended
    }
    long ttlMs = table.remainingMs(request);
    sender.send(publication, current.queue.address(), request.correlationId, ttlMs, request);
    if (link != current) { // lost in between
      request.refuse(ErrorCode.NO_REPLY, LOST);
    }
  }

  private void await(PendingRequest request) {
    if (!waitingBytes.take(request.requester().user(), request.size)) {
      request.refuse(ErrorCode.BROKER_UNAVAILABLE, NO_ROOM);
      return;
    }
    waiting.add(request);
    if (!onWorker(this::openOrSend) || !open) {
      request.refuse(ErrorCode.BROKER_UNAVAILABLE, unavailable()); // abandoned in between
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

  // On the worker.
  private void openOrSend() {
    Link current = link;
    if (current == null) {
      openLink();
    } else if (current.queue != null) {
      sendWaiting(current);
    }
  }

  // A request is removed after it was sent: until then, later ones of its client wait behind it.
  private void sendWaiting(Link current) {
    for (PendingRequest next = waiting.peek(); next != null; next = waiting.peek()) {
      send(next, current);
      removeWaiting(next);
    }
  }

  private void removeWaiting(PendingRequest request) {
    if (waiting.remove(request)) {
      waitingBytes.release(request.requester().user(), request.size);
    }
  }

  private synchronized void openLink() {
    if (!open || link != null) {
      return;
    }
    Link opening = new Link();
    link = opening;
    try {
      if (threads.get() >= MAX_THREADS) {
        throw new IllegalStateException(
            "the JMS client blocks " + threads.get() + " threads that open a reply queue");
      }
      system.start(() -> connectCounted(opening), "sluice-requests-connect");
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
      ReplyQueue opened =
          ReplyQueue.open(
              provider, opening::onMessage, () -> onWorker(() -> onLinkLost(opening, null)));
      if (!begin(opening, opened)) {
        opened.close();
      }
    } catch (Throwable e) { // a provider's class loading, lookup or client may fail in any way
      onLinkLost(opening, e);
    }
  }

  private synchronized boolean begin(Link opening, ReplyQueue opened) {
    if (link != opening) {
      return false;
    }
    opening.queue = opened;
    backoff.reset();
    return onWorker(this::openOrSend);
  }

  private synchronized void onLinkLost(Link lost, Throwable cause) {
    if (link != lost) {
      return;
    }
    log.atWarn()
        .addKeyValue("cause", ServiceUrl.masked(String.valueOf(cause)))
        .log("requests.reply-queue-lost");
    open = false;
    abandonLink(
        Provider.isUnsupported(cause) ? ErrorCode.UNSUPPORTED : ErrorCode.BROKER_UNAVAILABLE,
        cause == null ? CLOSED : CLOSED + ": " + ServiceUrl.masked(cause.getMessage()));
    try {
      worker.schedule(this::reopen, backoff.nextMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private synchronized void reopen() {
    open = connected;
  }

  /** Ends all requests and closes the reply queue. Under the lock of this. */
  private void abandonLink(ErrorCode code, String why) {
    Link former = link;
    link = null;
    for (PendingRequest unsent = waiting.peek(); unsent != null; unsent = waiting.peek()) {
      unsent.refuse(code, why);
      removeWaiting(unsent);
    }
    for (PendingRequest sent : table.all()) {
      sent.refuse(ErrorCode.NO_REPLY, LOST);
    }
    if (former != null && former.queue != null) {
      closeInBackground(former.queue);
    }
  }

  private void closeInBackground(ReplyQueue lost) {
    try {
      system.start(lost::close, "sluice-broker-close");
    } catch (OutOfMemoryError e) { // no thread can be started
      lost.close();
    }
  }

  // On a thread of the JMS client.
  private void onReply(PendingRequest request, Message message) {
    if (request == null) {
      metrics.replyLate();
      return;
    }
    try {
      Reply reply = reader.read(message);
      if (table.end(request, PendingRequests.REPLIED)) {
        table.notifyListener(request.listener, () -> request.listener.onReply(reply));
      } else {
        metrics.replyLate(); // it has ended in between
      }
    } catch (UnreadableReply e) {
      request.refuse(ErrorCode.NO_REPLY, e.getMessage());
    }
  }

  private void startChecks() {
    if (!checking.getAndSet(true)) {
      clock.resume();
      scheduleCheck();
    }
  }

  private void scheduleCheck() {
    try {
      worker.schedule(this::check, CHECK_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  // Not periodic: a node without requests runs no checks.
  private void check() {
    try {
      if (clock.tick()) { // else the replies of a pause are read first
        table.expire();
        checkLink();
      }
    } catch (Throwable e) { // no further check would be scheduled
      log.atError().setCause(e).log("requests.fault");
    }
    if (!table.isEmpty()) {
      scheduleCheck();
      return;
    }
    checking.set(false);
    if (!table.isEmpty()) { // added in between
      startChecks();
    }
  }

  private void checkLink() {
    Link current = link;
    long nowNs = clock.nowNs();
    if (current == null) {
      return;
    }
    if (current.queue == null) {
      if (nowNs - current.sinceNs >= TimeUnit.MILLISECONDS.toNanos(limits.openTimeoutMs())) {
        onLinkLost(current, null);
      }
    } else if (nowNs - closedCheckNs >= CLOSED_CHECK_NS) {
      closedCheckNs = nowNs;
      if (current.queue.isClosed()) {
        onLinkLost(current, null);
      }
    }
  }
}
