package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Provider;
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
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and closes consumers on one set of connections, a bounded number at a time. Bound to the
 * control thread. Only the blocking JMS calls run on threads of their own; their results return to
 * the control thread.
 *
 * <p>Openings and closings have separate threads, so that neither delays the other. While more than
 * {@link #CLOSING_BACKLOG} consumers wait to be closed, each closing permits one opening. So the
 * consumers at the broker exceed those in use by a bounded number, however often topics change.
 * Consumers that the broker has closed do not count.
 */
final class ConsumerOpener {
  private static final Logger log = LoggerFactory.getLogger(ConsumerOpener.class);

  /** Share of the openings that may hang for one interest. */
  private static final int HANGING_SHARE = 8;

  /** Consumers that wait to be closed, from which on openings are limited by closings. */
  static final int CLOSING_BACKLOG = 1_000;

  /** Receives the results. Called on the control thread, never after {@link #end}. */
  interface Owner {
    /** The consumer exists, and delivers nothing yet. */
    void onOpened(Opening opening, OpenedConsumer consumer) throws JMSException;

    /**
     * The broker refused the consumer.
     *
     * @param answers whether the broker still answers on this connection
     */
    void onFailed(Opening opening, Throwable cause, boolean answers);

    /** An opening has ended in any way, its interest may have been closed. */
    void onSettled(Opening opening);

    /** The broker has stopped answering. */
    void onUnanswered();
  }

  private final Owner owner;
  private final Executor control;
  private final Provider provider;
  private final int parallelism;
  private final long timeoutNs;
  private final SessionPool sessions;
  private final CallSlots openings;
  private final CallSlots closings;
  private final Queue<Opening> waiting = new ArrayDeque<>();
  private final Queue<Closing> unused = new ArrayDeque<>();

  /** Consumers at the broker that are to be closed or are being closed. */
  private int backlog;

  /** Openings that closings permit while the backlog exceeds its limit. */
  private int permits;

  /** Whether orphaned queues are being deleted. */
  private boolean deleting;

  private boolean probing;
  private long probedSinceNs;
  private volatile boolean ended;

  /**
   * Creates one without threads.
   *
   * @param control runs tasks on the control thread
   * @param parallelism the most openings at a time, and the most closings
   * @param timeoutMs how long one of them may take before it is checked whether the broker answers
   */
  ConsumerOpener(
      Owner owner, Executor control, Provider provider, int parallelism, long timeoutMs) {
    this.owner = owner;
    this.control = control;
    this.provider = provider;
    this.parallelism = parallelism;
    this.timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.sessions = new SessionPool(provider.consumersPerSession(), parallelism);
    this.openings = new CallSlots(parallelism, "sluice-opener");
    this.closings = new CallSlots(parallelism, "sluice-closer");
  }

  /** Opens an interest as soon as a thread is free. */
  void open(Opening opening) {
    opening.interest.opening(true);
    if (opening.replaced != null) {
      sessions.retire(opening.replaced.session()); // the broker may have closed all of it
    }
    if (opening.replaced != null && !opening.interest.isDurable()) {
      enqueue(new Closing(opening.replaced, false));
    }
    waiting.add(opening);
    openNext();
  }

  /** Closes a consumer as soon as a thread is free. */
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

  /** Whether another attempt may begin for an interest of which earlier ones hang. */
  boolean mayOpen(BrokerInterest interest) {
    long hanging =
        openings.started().stream()
            .filter(call -> call instanceof Opening opening && opening.interest == interest)
            .count();
    return hanging < Math.max(1, parallelism / HANGING_SHARE);
  }

  /** The connections are lost or no longer needed; their owner closes them. */
  void end() {
    ended = true;
    waiting.forEach(opening -> opening.interest.opening(false));
    openings.started().forEach(call -> ((Opening) call).interest.opening(false));
    waiting.clear();
    unused.clear();
    openings.shutDown();
    closings.shutDown();
  }

  private void openNext() {
    while (!ended && openings.areFree() && isPermitted() && !waiting.isEmpty()) {
      Opening opening = waiting.remove();
      if (opening.interest.isClosed()) {
        skip(opening);
      } else {
        permits = Math.max(0, permits - 1);
        boolean dedicated = opening.interest.isDurable();
        opening.session = sessions.lend(opening.connection, dedicated);
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
      openings.start(opening, work);
    } catch (Throwable e) { // there is no thread for it
      onControl(() -> settle(opening, null, e, true));
    }
  }

  // On a thread of the opener, as all calls that wait for the broker.
  private void create(Opening opening, boolean alone) {
    try {
      if (opening.replaced != null && opening.interest.isDurable()) {
        opening.replaced.close(provider, true);
      }
      OpenedConsumer consumer =
          opening.interest.create(opening.session, provider, question -> ask(opening, question));
      onControl(() -> settle(opening, consumer, null, true));
    } catch (Throwable e) { // a client that gets no thread or lacks a class throws an Error
      opening.sessionClosed = provider.isClosed(opening.session.jms());
      if (alone && mustRetire(opening.session, e)) {
        opening.session.closeQuietly();
      }
      fail(opening, e);
    }
  }

  // A refused topic says nothing of its session.
  private boolean mustRetire(ConsumerSession session, Throwable failure) {
    return !session.isShared() || !provider.isUsableAfter(session.jms(), failure);
  }

  private void fail(Opening opening, Throwable cause) {
    boolean answers = Provider.isDenial(cause) || !ended && opening.connection.answers();
    onControl(() -> settle(opening, null, cause, answers));
  }

  /** Asks the control thread a question while an opening waits for the answer. */
  private boolean ask(Opening opening, BooleanSupplier question) throws JMSException {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    onControl(
        () -> {
          try {
            answer.complete(isCurrent(opening) && question.getAsBoolean());
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        });
    try {
      return answer.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw (JMSException) new JMSException("the node failed").initCause(e.getCause());
    }
  }

  private boolean isCurrent(Opening opening) {
    return !ended && !opening.isAbandoned() && !opening.interest.isClosed();
  }

  private void onControl(Runnable task) {
    control.execute(task);
  }

  private void settle(
      Opening opening, OpenedConsumer consumer, Throwable failure, boolean answers) {
    if (ended) {
      return; // what was opened is closed with its connection
    }
    openings.end(opening);
    boolean mayHaveDied = giveBack(opening, consumer, failure);
    try {
      if (!isCurrent(opening)) {
        onUnneeded(opening, consumer);
      } else if (consumer != null) {
        onCreated(opening, consumer);
      } else if (mayHaveDied && answers && !opening.repeated) {
        opening.repeated = true;
        waiting.add(opening);
      } else {
        onFailed(opening, failure, answers);
      }
    } finally {
      openNext();
    }
  }

  /**
   * Takes back the session of an opening. Returns whether the opening failed because the broker may
   * have closed the session: before this opening, or during it.
   */
  private boolean giveBack(Opening opening, OpenedConsumer consumer, Throwable failure) {
    ConsumerSession session = opening.session;
    if (session == null) {
      return false;
    }
    opening.session = null;
    boolean suspect = consumer == null && mustRetire(session, failure);
    boolean mayHaveDied = suspect && (session.isUsed() || opening.sessionClosed);
    if (consumer != null) {
      session.onOpened();
    } else {
      session.removeConsumer();
    }
    if (suspect) {
      session.retire();
    }
    giveBack(session);
    return mayHaveDied;
  }

  private void giveBack(ConsumerSession session) {
    sessions.giveBack(session);
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
    } catch (Throwable e) { // as in create
      close(consumer);
      start(opening, () -> fail(opening, e));
      return;
    }
    settled(opening);
  }

  private void onFailed(Opening opening, Throwable failure, boolean answers) {
    opening.interest.opening(false);
    owner.onFailed(opening, failure, answers);
    if (!ended) {
      owner.onSettled(opening);
    }
  }

  private void settled(Opening opening) {
    opening.interest.opening(false);
    owner.onSettled(opening);
  }

  private void closeNext() {
    while (!ended && closings.areFree() && !unused.isEmpty()) {
      Closing closing = unused.remove();
      ConsumerSession session = closing.consumer.session();
      if (session.isLent()) {
        session.closeLater(closing);
      } else {
        start(closing);
      }
    }
  }

  private void start(Closing closing) {
    boolean withSession = sessions.lendToClose(closing.consumer.session());
    try {
      closings.start(
          closing,
          () -> {
            closing.consumer.close(provider, withSession);
            onControl(() -> onClosed(closing));
          });
    } catch (Throwable e) { // there is no thread for it: it is closed with the connection
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
    giveBack(closing.consumer.session());
    closeNext();
    openNext();
  }

  /** Deletes the queues of consumers that the broker has closed with their session. */
  void deleteOrphanedQueues(BrokerConnection connection) {
    if (ended || deleting || !closings.areFree() || !provider.hasOrphanedQueues()) {
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
    } catch (Throwable e) { // there is no thread for it: the next check repeats it
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

  /** Looks for openings and closings that take too long. Called now and then. */
  void check() {
    if (probing) {
      if (System.nanoTime() - probedSinceNs > timeoutNs) {
        owner.onUnanswered();
      }
      return;
    }
    List<CallSlots.Call> overdue =
        Stream.of(openings, closings).flatMap(each -> each.overdue(timeoutNs).stream()).toList();
    if (!overdue.isEmpty()) {
      probe(overdue);
    } else if (!waiting.isEmpty() && openings.areStuck()
        || !unused.isEmpty() && closings.areStuck()) {
      owner.onUnanswered();
    }
  }

  // One topic that the broker does not answer for must not cost all others their connection.
  private void probe(List<CallSlots.Call> overdue) {
    probing = true;
    probedSinceNs = System.nanoTime();
    Thread thread =
        new Thread(
            () -> {
              boolean answers =
                  overdue.stream()
                      .map(call -> call.connection)
                      .distinct()
                      .allMatch(BrokerConnection::answers);
              onControl(() -> onProbed(overdue, answers));
            },
            "sluice-opener-probe");
    thread.setDaemon(true);
    thread.start();
  }

  private void onProbed(List<CallSlots.Call> overdue, boolean answers) {
    probing = false;
    if (ended) {
      return;
    }
    if (!answers) {
      owner.onUnanswered();
      return;
    }
    for (CallSlots.Call call : overdue) {
      if (!ended && openings.isStarted(call) && call instanceof Opening opening) {
        opening.abandon();
        onFailed(opening, new TimeoutException("no answer from the broker"), true);
      } else if (!ended && closings.isStarted(call)) {
        call.abandon();
        log.atWarn()
            .addKeyValue("after-ms", TimeUnit.NANOSECONDS.toMillis(timeoutNs))
            .log("interest.not-closed");
      }
    }
  }
}
