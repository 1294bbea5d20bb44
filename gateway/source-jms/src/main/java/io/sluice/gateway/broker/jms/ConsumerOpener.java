package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.jms.ConsumerSession.Closing;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.limits.FairQueue;
import io.sluice.gateway.limits.Shares;
import jakarta.jms.JMSException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues of consumers to be opened and closed on one set of connections, with bounded parallelism.
 * Bound to the control thread. Only blocking JMS calls run on other threads; their results return
 * to the control thread.
 *
 * <p>Openings and closings have separate threads, because neither may delay the other. While more
 * than {@link #CLOSING_BACKLOG} consumers are queued to be closed, each closing permits one
 * opening. This bounds the number of unused consumers at the broker when topics change often.
 * Consumers that the broker has closed do not count.
 */
final class ConsumerOpener {
  private static final Logger log = LoggerFactory.getLogger(ConsumerOpener.class);

  /** Divisor of the parallelism: maximum number of abandoned openings of one interest. */
  private static final int ABANDONED_SHARE = 8;

  /** Number of consumers queued to be closed above which closings limit openings. */
  static final int CLOSING_BACKLOG = 1_000;

  /** Receiver of the results. Called on the control thread, never after {@link #end}. */
  interface Owner {
    /** The consumer exists, but has no listener. */
    void onOpened(Opening opening, OpenedConsumer consumer) throws JMSException;

    /**
     * The broker refused the consumer.
     *
     * @param responsive whether the broker still responds on this connection
     */
    void onFailed(Opening opening, Throwable cause, boolean responsive);

    /** An opening has ended with any result; its interest may have been closed. */
    void onSettled(Opening opening);

    /** The broker has stopped responding. */
    void onUnresponsive();
  }

  private final Owner owner;
  private final Executor control;
  private final Provider provider;
  private final int parallelism;
  private final long timeoutNs;
  private final LongSupplier clockNs;
  private final SessionPool sessions;
  private final CallSlots openings;
  private final CallSlots closings;
  private final Shares shares;
  private final FairQueue<Opening> waiting = new FairQueue<>();
  private final Queue<Closing> unused = new ArrayDeque<>();

  /** Number of consumers at the broker that are to be closed or are being closed. */
  private int backlog;

  /** Number of openings that closings permit while the backlog exceeds its limit. */
  private int permits;

  /** True while orphaned queues are being deleted. */
  private boolean deleting;

  private boolean probing;
  private long probedSinceNs;
  private volatile boolean ended;

  /**
   * Creates an instance without threads.
   *
   * @param control executor of the control thread
   * @param parallelism maximum number of concurrent openings, and of concurrent closings
   * @param timeoutMs duration of a call after which the broker is probed
   * @param clockNs clock of this timeout
   */
  ConsumerOpener(
      Owner owner,
      Executor control,
      Provider provider,
      int parallelism,
      long timeoutMs,
      LongSupplier clockNs) {
    this.owner = owner;
    this.control = control;
    this.provider = provider;
    this.parallelism = parallelism;
    this.shares = new Shares(parallelism);
    this.clockNs = clockNs;
    this.timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.sessions = new SessionPool(provider.consumersPerSession(), parallelism);
    this.openings = new CallSlots(parallelism, "sluice-opener", clockNs);
    this.closings = new CallSlots(parallelism, "sluice-closer", clockNs);
  }

  /** Opens an interest when a thread is free. */
  void open(Opening opening) {
    opening.interest.setOpening(true);
    if (opening.replaced != null) {
      sessions.retire(opening.replaced.session()); // the broker may have closed the whole session
    }
    if (opening.replaced != null && !opening.interest.isDurable()) {
      enqueue(new Closing(opening.replaced, false));
    }
    waiting.add(opening.user, opening);
    openNext();
  }

  /** Closes a consumer when a thread is free. */
  void close(OpenedConsumer consumer) {
    backlog++;
    enqueue(new Closing(consumer, true));
  }

  private void enqueue(Closing closing) {
    unused.add(closing);
    closeNext();
  }

  private boolean isPermitted() {
    return backlog <= CLOSING_BACKLOG || permits > 0;
  }

  /** Returns whether the number of abandoned openings of an interest permits another one. */
  boolean canOpen(BrokerInterest interest) {
    long abandoned =
        openings.started().stream()
            .filter(call -> call instanceof Opening opening && opening.interest == interest)
            .count();
    return abandoned < Math.max(1, parallelism / ABANDONED_SHARE);
  }

  /** Stops after the loss or end of the connections, which their owner closes. */
  void end() {
    ended = true;
    waiting.removeIf(opening -> true, opening -> opening.interest.setOpening(false));
    openings.started().forEach(call -> ((Opening) call).interest.setOpening(false));
    unused.clear();
    openings.shutDown();
    closings.shutDown();
  }

  private void openNext() {
    while (!ended && openings.hasFree() && isPermitted()) {
      Opening opening = waiting.poll(shares, any -> true);
      if (opening == null) {
        return;
      }
      if (opening.interest.isClosed()) {
        shares.release(opening.user, 1);
        skip(opening);
      } else {
        permits = Math.max(0, permits - 1);
        boolean dedicated = opening.interest.isDurable();
        opening.session = sessions.borrow(opening.connection, dedicated);
        boolean alone = opening.session.consumers() == 1;
        start(opening, () -> create(opening, alone));
      }
    }
  }

  private void skip(Opening opening) {
    if (opening.replaced != null && opening.interest.isDurable()) {
      enqueue(new Closing(opening.replaced, false));
    }
    settled(opening);
  }

  private void start(Opening opening, Runnable work) {
    try {
      openings.start(opening, provider.inContext(work));
    } catch (Throwable e) { // no thread can be started
      onControl(() -> settle(opening, null, e, true));
    }
  }

  // Runs on a thread of the opener, like all calls that wait for the broker.
  private void create(Opening opening, boolean alone) {
    try {
      if (opening.replaced != null && opening.interest.isDurable()) {
        opening.replaced.close(provider, true);
      }
      OpenedConsumer consumer =
          opening.interest.create(
              opening.session, provider, condition -> evaluate(opening, condition));
      onControl(() -> settle(opening, consumer, null, true));
    } catch (Throwable e) { // a client without a thread or a class throws an Error
      opening.sessionClosed = provider.isClosed(opening.session.jms());
      if (alone && mustRetire(opening.session, e)) {
        opening.session.closeQuietly();
      }
      fail(opening, e);
    }
  }

  // The refusal of a topic does not affect its session.
  private boolean mustRetire(ConsumerSession session, Throwable failure) {
    return !session.isShared() || !provider.isUsableAfter(session.jms(), failure);
  }

  private void fail(Opening opening, Throwable cause) {
    boolean responsive = Provider.isDenial(cause) || !ended && opening.connection.isResponsive();
    onControl(() -> settle(opening, null, cause, responsive));
  }

  /** Evaluates a condition on the control thread while the thread of an opening waits. */
  private boolean evaluate(Opening opening, BooleanSupplier condition) throws JMSException {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    onControl(
        () -> {
          try {
            result.complete(isCurrent(opening) && condition.getAsBoolean());
          } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
          }
        });
    try {
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw (JMSException) new JMSException("condition was not evaluated").initCause(e.getCause());
    }
  }

  private boolean isCurrent(Opening opening) {
    return !ended && !opening.isAbandoned() && !opening.interest.isClosed();
  }

  private void onControl(Runnable task) {
    control.execute(task);
  }

  private void settle(
      Opening opening, OpenedConsumer consumer, Throwable failure, boolean responsive) {
    if (ended) {
      return; // the consumer is closed with its connection
    }
    openings.end(opening);
    boolean maybeClosed = releaseSession(opening, consumer, failure);
    try {
      if (!isCurrent(opening)) {
        onUnneeded(opening, consumer);
      } else if (consumer != null) {
        onCreated(opening, consumer);
      } else if (maybeClosed && responsive && !opening.repeated) {
        opening.repeated = true;
        waiting.add(opening.user, opening);
      } else {
        onFailed(opening, failure, responsive);
      }
    } finally {
      if (!openings.isStarted(opening)) { // else another call for it has started
        shares.release(opening.user, 1);
      }
      openNext();
    }
  }

  /**
   * Releases the session of an opening. Returns whether the opening failed because the broker may
   * have closed the session, before this opening or during it.
   */
  private boolean releaseSession(Opening opening, OpenedConsumer consumer, Throwable failure) {
    ConsumerSession session = opening.session;
    if (session == null) {
      return false;
    }
    opening.session = null;
    boolean suspect = consumer == null && mustRetire(session, failure);
    boolean maybeClosed = suspect && (session.isUsed() || opening.sessionClosed);
    if (consumer != null) {
      session.onOpened();
    } else {
      session.removeConsumer();
    }
    if (suspect) {
      session.retire();
    }
    releaseSession(session);
    return maybeClosed;
  }

  private void releaseSession(ConsumerSession session) {
    sessions.release(session);
    Closing next = session.pollClosing();
    if (next != null) {
      enqueue(next);
    }
  }

  private void onUnneeded(Opening opening, OpenedConsumer consumer) {
    if (consumer != null) {
      close(consumer);
    }
    if (!opening.isAbandoned()) {
      settled(opening);
    }
  }

  private void onCreated(Opening opening, OpenedConsumer consumer) {
    try {
      owner.onOpened(opening, consumer);
    } catch (Throwable e) { // an Error of the client, as in create
      close(consumer);
      start(opening, () -> fail(opening, e));
      return;
    }
    settled(opening);
  }

  private void onFailed(Opening opening, Throwable failure, boolean responsive) {
    opening.interest.setOpening(false);
    owner.onFailed(opening, failure, responsive);
    if (!ended) {
      owner.onSettled(opening);
    }
  }

  private void settled(Opening opening) {
    opening.interest.setOpening(false);
    owner.onSettled(opening);
  }

  private void closeNext() {
    while (!ended && closings.hasFree() && !unused.isEmpty()) {
      Closing closing = unused.remove();
      ConsumerSession session = closing.consumer.session();
      if (session.isBorrowed()) {
        session.closeLater(closing);
      } else {
        start(closing);
      }
    }
  }

  private void start(Closing closing) {
    boolean withSession = sessions.borrowToClose(closing.consumer.session());
    try {
      closings.start(
          closing,
          () -> {
            closing.consumer.close(provider, withSession);
            onControl(() -> onClosed(closing));
          });
    } catch (Throwable e) { // no thread can be started: it is closed with the connection
      onControl(() -> onClosed(closing));
    }
  }

  private void onClosed(Closing closing) {
    if (ended) {
      return;
    }
    closings.end(closing);
    if (closing.counted) {
      backlog--;
      permits = backlog > CLOSING_BACKLOG ? Math.min(permits + 1, parallelism) : 0;
    }
    closing.consumer.session().removeConsumer();
    releaseSession(closing.consumer.session());
    closeNext();
    openNext();
  }

  /** Deletes the queues of consumers that the broker has closed with their session. */
  void deleteOrphanedQueues(BrokerConnection connection) {
    if (ended || deleting || !closings.hasFree() || !provider.hasOrphanedQueues()) {
      return;
    }
    deleting = true;
    CallSlots.Call call = new CallSlots.Call(connection) {};
    try {
      closings.start(
          call,
          () -> {
            provider.deleteOrphanedQueues(connection.jms());
            onControl(() -> onDeleted(call));
          });
    } catch (Throwable e) { // no thread can be started: the next check repeats it
      onControl(() -> onDeleted(call));
    }
  }

  private void onDeleted(CallSlots.Call call) {
    if (!ended) {
      deleting = false;
      closings.end(call);
      closeNext();
    }
  }

  /** Checks for openings and closings that exceed their timeout. Called periodically. */
  void check() {
    if (probing) {
      if (clockNs.getAsLong() - probedSinceNs > timeoutNs) {
        owner.onUnresponsive();
      }
      return;
    }
    List<CallSlots.Call> overdue =
        Stream.of(openings, closings).flatMap(each -> each.overdue(timeoutNs).stream()).toList();
    if (!overdue.isEmpty()) {
      probe(overdue);
    } else if (!waiting.isEmpty() && openings.isExhausted()
        || !unused.isEmpty() && closings.isExhausted()) {
      owner.onUnresponsive();
    }
  }

  // If the broker fails to respond for a single topic, the connection of all others is retained.
  private void probe(List<CallSlots.Call> overdue) {
    probing = true;
    probedSinceNs = clockNs.getAsLong();
    BrokerThreads.SYSTEM.start(
        () -> {
          boolean responsive =
              overdue.stream()
                  .map(call -> call.connection)
                  .distinct()
                  .allMatch(BrokerConnection::isResponsive);
          onControl(() -> onProbed(overdue, responsive));
        },
        "sluice-opener-probe");
  }

  private void onProbed(List<CallSlots.Call> overdue, boolean responsive) {
    probing = false;
    if (ended) {
      return;
    }
    if (!responsive) {
      owner.onUnresponsive();
      return;
    }
    for (CallSlots.Call call : overdue) {
      if (!ended && openings.isStarted(call) && call instanceof Opening opening) {
        opening.abandon();
        onFailed(opening, new TimeoutException("no response from the broker"), true);
      } else if (!ended && closings.isStarted(call)) {
        call.abandon();
        log.atWarn()
            .addKeyValue("after-ms", TimeUnit.NANOSECONDS.toMillis(timeoutNs))
            .log("interest.not-closed");
      }
    }
  }
}
