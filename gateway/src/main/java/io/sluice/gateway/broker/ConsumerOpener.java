package io.sluice.gateway.broker;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Opens and closes consumers on one set of connections, a bounded number at a time. Bound to the
 * control thread. Only the blocking JMS calls run on threads of its own; their results return to
 * the control thread.
 *
 * <p>Openings and closings alternate while both wait. So neither delays the other, and no more
 * closings can wait than consumers were open.
 */
final class ConsumerOpener {
  private static final long IDLE_THREAD_MS = 10_000;

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
  private final ThreadPoolExecutor threads;
  private final Queue<Opening> waiting = new ArrayDeque<>();
  private final Queue<OpenedConsumer> closing = new ArrayDeque<>();
  private final Set<Opening> started = new LinkedHashSet<>();

  /** Threads in use. */
  private int running;

  private boolean closeNext;
  private boolean probing;
  private long probedSinceNs;
  private volatile boolean ended;

  /**
   * Creates one without threads.
   *
   * @param control runs tasks on the control thread
   * @param parallelism the most openings and closings at a time
   * @param timeoutMs how long one opening may take before it is checked whether the broker answers
   */
  ConsumerOpener(
      Owner owner, Executor control, Provider provider, int parallelism, long timeoutMs) {
    this.owner = owner;
    this.control = control;
    this.provider = provider;
    this.parallelism = parallelism;
    this.timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.threads =
        new ThreadPoolExecutor(
            parallelism,
            parallelism,
            IDLE_THREAD_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "sluice-opener");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Opens an interest as soon as a thread is free. */
  void open(Opening opening) {
    opening.interest.opening(true);
    waiting.add(opening);
    next();
  }

  /** Closes a consumer as soon as a thread is free. */
  void close(OpenedConsumer consumer) {
    closing.add(consumer);
    next();
  }

  /** The connections are lost or no longer needed; their owner closes them. */
  void end() {
    ended = true;
    waiting.forEach(opening -> opening.interest.opening(false));
    started.forEach(opening -> opening.interest.opening(false));
    waiting.clear();
    closing.clear();
    started.clear();
    threads.shutdownNow();
  }

  private void next() {
    while (!ended && running < parallelism) {
      OpenedConsumer unused = closeNext || waiting.isEmpty() ? closing.poll() : null;
      Opening opening = unused == null ? waiting.poll() : null;
      closeNext = unused == null;
      if (unused != null) {
        start(() -> closeUnused(unused), null);
      } else if (opening == null) {
        return;
      } else if (opening.interest.isClosed()) {
        skip(opening);
      } else {
        opening.startedNs = System.nanoTime();
        started.add(opening);
        start(() -> create(opening), opening);
      }
    }
  }

  private void skip(Opening opening) {
    if (opening.replaced != null) {
      closing.add(opening.replaced);
    }
    opening.interest.opening(false);
    owner.onSettled(opening);
  }

  private void start(Runnable task, Opening opening) {
    running++;
    try {
      threads.execute(task);
    } catch (Throwable e) { // there is no thread for it
      onControl(() -> settle(opening, null, e, true));
    }
  }

  // On a thread of the opener, as all calls that wait for the broker.
  private void create(Opening opening) {
    try {
      if (opening.replaced != null) {
        provider.close(opening.replaced);
      }
      OpenedConsumer consumer =
          opening.interest.create(
              opening.connection.jms(), provider, question -> ask(opening, question));
      onControl(() -> settle(opening, consumer, null, true));
    } catch (Throwable e) { // a client that gets no thread or lacks a class throws an Error
      fail(opening, e);
    }
  }

  private void fail(Opening opening, Throwable cause) {
    boolean answers = isDenial(cause) || !ended && opening.connection.answers();
    onControl(() -> settle(opening, null, cause, answers));
  }

  private static boolean isDenial(Throwable failure) {
    return failure instanceof InvalidDestinationException
        || failure instanceof JMSSecurityException;
  }

  private void closeUnused(OpenedConsumer consumer) {
    provider.close(consumer);
    onControl(() -> settle(null, null, null, true));
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
    return !ended && !opening.abandoned && !opening.interest.isClosed();
  }

  private void onControl(Runnable task) {
    control.execute(task);
  }

  private void settle(
      Opening opening, OpenedConsumer consumer, Throwable failure, boolean answers) {
    if (ended) {
      return; // what was opened is closed with its connection
    }
    running--;
    try {
      if (opening != null) {
        onResult(opening, consumer, failure, answers);
      }
    } finally {
      next();
    }
  }

  private void onResult(
      Opening opening, OpenedConsumer consumer, Throwable failure, boolean answers) {
    started.remove(opening);
    if (!isCurrent(opening)) {
      if (consumer != null) {
        closing.add(consumer);
      }
      if (!opening.abandoned) {
        settled(opening);
      }
    } else if (consumer == null) {
      onFailed(opening, failure, answers);
    } else {
      onCreated(opening, consumer);
    }
  }

  private void onCreated(Opening opening, OpenedConsumer consumer) {
    try {
      owner.onOpened(opening, consumer);
    } catch (Throwable e) { // as in create
      started.add(opening);
      start(
          () -> {
            provider.close(consumer);
            fail(opening, e);
          },
          opening);
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

  /** Looks for openings that take too long. Called now and then. */
  void check() {
    long nowNs = System.nanoTime();
    if (probing) {
      if (nowNs - probedSinceNs > timeoutNs) {
        owner.onUnanswered();
      }
      return;
    }
    List<Opening> overdue =
        started.stream()
            .filter(opening -> !opening.abandoned && nowNs - opening.startedNs > timeoutNs)
            .toList();
    if (!overdue.isEmpty()) {
      probe(overdue, nowNs);
    } else if (!waiting.isEmpty() && abandoned() == parallelism) {
      owner.onUnanswered();
    }
  }

  private long abandoned() {
    return started.stream().filter(opening -> opening.abandoned).count();
  }

  // One topic that the broker does not answer for must not cost all others their connection.
  private void probe(List<Opening> overdue, long nowNs) {
    probing = true;
    probedSinceNs = nowNs;
    Thread thread =
        new Thread(
            () -> {
              boolean answers =
                  overdue.stream()
                      .map(opening -> opening.connection)
                      .distinct()
                      .allMatch(BrokerConnection::answers);
              onControl(() -> onProbed(overdue, answers));
            },
            "sluice-opener-probe");
    thread.setDaemon(true);
    thread.start();
  }

  private void onProbed(List<Opening> overdue, boolean answers) {
    probing = false;
    if (ended) {
      return;
    }
    if (!answers) {
      owner.onUnanswered();
      return;
    }
    for (Opening opening : overdue) {
      if (!ended && started.contains(opening)) {
        opening.abandoned = true;
        onFailed(opening, new TimeoutException("no answer from the broker"), true);
      }
    }
  }
}
