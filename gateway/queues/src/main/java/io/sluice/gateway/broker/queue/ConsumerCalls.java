package io.sluice.gateway.broker.queue;

import jakarta.jms.JMSException;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Calls of one consumer to the broker, at most one at a time, and the requests that are sent
 * besides. Bound to the consumer's executor, except the time limits: any thread.
 */
final class ConsumerCalls {
  private static final long NONE = Long.MAX_VALUE;

  /** Maximum time limit of a call that sends: its destination may be full. */
  static final long MAX_SEND_NS = TimeUnit.SECONDS.toNanos(10);

  /** Call to the broker; waits for it. */
  interface Call {
    void run() throws JMSException;
  }

  private final String user;
  private final LongSupplier nowNs;
  private final long timeoutNs;
  private final Executor steps;

  /** Number of the latest call; earlier ones were abandoned. */
  private volatile long number;

  private boolean running;

  /** True if the latest call sends messages. */
  private volatile boolean sending;

  /** Start of the running call; {@link #NONE} while there is none. */
  private volatile long sinceNs = NONE;

  /** True while a request or its withdrawal is sent to the broker. */
  private boolean asking;

  /** Number of the latest request; it changes with the end of the request. */
  private long askNumber;

  /** Start of the running request; {@link #NONE} while there is none. */
  private volatile long askSinceNs = NONE;

  /**
   * Creates an instance without a call.
   *
   * @param user the user that the consumer serves
   * @param steps runs the results
   */
  ConsumerCalls(String user, LongSupplier nowNs, long timeoutNs, Executor steps) {
    this.user = user;
    this.nowNs = nowNs;
    this.timeoutNs = timeoutNs;
    this.steps = steps;
  }

  boolean isRunning() {
    return running;
  }

  boolean isAsking() {
    return asking;
  }

  /**
   * Starts a call.
   *
   * @param done step with its failure, or null; skipped if the call is abandoned
   */
  void start(QueueLink link, QueueLink.Kind kind, Call work, Consumer<Throwable> done) {
    long started = begin(false);
    link.call(kind, user, () -> run(started, work, done));
  }

  /** Starts a call that sends to destinations. */
  void startSending(QueueLink link, Set<String> destinations, Call work, Consumer<Throwable> done) {
    long started = begin(true);
    link.call(
        QueueLink.Kind.SEND,
        user,
        new QueueLink.SendTask() {
          @Override
          public void run() {
            ConsumerCalls.this.run(started, work, done);
          }

          @Override
          public Set<String> destinations() {
            return destinations;
          }

          @Override
          public void onBlocked(String why) {
            steps.execute(() -> onEnded(started, new JMSException(why), done));
          }
        });
  }

  private long begin(boolean sends) {
    running = true;
    sending = sends;
    return ++number;
  }

  private void run(long started, Call work, Consumer<Throwable> done) {
    if (started == number) {
      sinceNs = nowNs.getAsLong();
      Throwable failure = run(work);
      steps.execute(() -> onEnded(started, failure, done));
    }
  }

  private static Throwable run(Call work) {
    try {
      work.run();
      return null;
    } catch (Throwable e) { // a provider's client may fail in any way
      return e;
    }
  }

  private void onEnded(long ended, Throwable failure, Consumer<Throwable> done) {
    if (ended == number) {
      running = false;
      sending = false;
      sinceNs = NONE;
      done.accept(failure);
    }
  }

  /** Ignores the result of the running call: its link is lost. */
  void abandon() {
    number++;
    running = false;
    sending = false;
    sinceNs = NONE;
  }

  /**
   * Sends a request besides the calls.
   *
   * @param done step with its failure, or null
   */
  void ask(QueueLink link, Call work, Consumer<Throwable> done) {
    asking = true;
    long started = nextAsk();
    link.call(
        QueueLink.Kind.SETTLE,
        user,
        () -> {
          beginAsk(started);
          Throwable failure = run(work);
          steps.execute(() -> done.accept(failure));
        });
  }

  private synchronized long nextAsk() {
    return ++askNumber;
  }

  // The session may have ended while the request waited for its thread.
  private synchronized void beginAsk(long started) {
    if (started == askNumber) {
      askSinceNs = nowNs.getAsLong();
    }
  }

  /** A request is part of a call. */
  void beginAsk() {
    asking = true;
  }

  /** The request was sent, or its session has ended. */
  synchronized void endAsk() {
    asking = false;
    askNumber++;
    askSinceNs = NONE;
  }

  /** Returns whether a call exceeds its time limit and must cost the consumer its connection. */
  boolean isOverdue(long timeNs) {
    long graceNs = sending ? timeoutNs : 0; // for the interrupt to take effect
    return isOverdue(sinceNs, timeNs - graceNs) || isOverdue(askSinceNs, timeNs);
  }

  /** Returns whether a call that sends exceeds its time limit. */
  boolean isSendOverdue(long timeNs) {
    long start = sinceNs;
    return sending && start != NONE && timeNs - start > Math.min(timeoutNs, MAX_SEND_NS);
  }

  private boolean isOverdue(long startNs, long timeNs) {
    return startNs != NONE && timeNs - startNs > timeoutNs;
  }
}
