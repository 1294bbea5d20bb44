package io.sluice.gateway.broker.queue;

import jakarta.jms.JMSException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Calls of one consumer to the broker, at most one at a time, and the requests that are sent
 * besides. Bound to the consumer's executor, except the time limits: any thread.
 */
final class ConsumerCalls {
  private static final long NONE = Long.MAX_VALUE;

  /** Call to the broker; waits for it. */
  interface Call {
    void run() throws JMSException;
  }

  private final LongSupplier nowNs;
  private final long timeoutNs;
  private final Executor steps;

  /** Number of the latest call; earlier ones were abandoned. */
  private volatile long number;

  private boolean running;

  /** True if the latest call is a transaction. */
  private volatile boolean transacting;

  /** Start of the running call; {@link #NONE} while there is none. */
  private volatile long sinceNs = NONE;

  /** True while a request or its withdrawal is sent to the broker. */
  private boolean asking;

  private volatile long askSinceNs = NONE;

  /**
   * Creates an instance without a call.
   *
   * @param steps runs the results
   */
  ConsumerCalls(LongSupplier nowNs, long timeoutNs, Executor steps) {
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
  void start(QueueLink link, Call work, Consumer<Throwable> done) {
    start(link, false, work, done);
  }

  /** Starts a call that may be a transaction. */
  void start(QueueLink link, boolean transaction, Call work, Consumer<Throwable> done) {
    long started = ++number;
    running = true;
    transacting = transaction;
    link.call(
        () -> {
          if (started == number) {
            sinceNs = nowNs.getAsLong();
            Throwable failure = run(work);
            steps.execute(() -> onEnded(started, failure, done));
          }
        });
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
      transacting = false;
      sinceNs = NONE;
      done.accept(failure);
    }
  }

  /** Ignores the result of the running call: its link is lost. */
  void abandon() {
    number++;
    running = false;
    transacting = false;
    sinceNs = NONE;
  }

  /**
   * Sends a request besides the calls.
   *
   * @param done step with its failure, or null
   */
  void ask(QueueLink link, Call work, Consumer<Throwable> done) {
    asking = true;
    askSinceNs = nowNs.getAsLong();
    link.call(
        () -> {
          Throwable failure = run(work);
          steps.execute(() -> done.accept(failure));
        });
  }

  /** A request is part of a call. */
  void beginAsk() {
    asking = true;
  }

  /** The request was sent, or its session has ended. */
  void endAsk() {
    asking = false;
    askSinceNs = NONE;
  }

  /** Returns whether a call exceeds its time limit and must cost the consumer its connection. */
  boolean isOverdue(long timeNs) {
    long graceNs = transacting ? timeoutNs : 0; // for the interrupt to take effect
    return isOverdue(sinceNs, timeNs - graceNs) || isOverdue(askSinceNs, timeNs);
  }

  /** Returns whether a transaction exceeds its time limit. */
  boolean isTransactionOverdue(long timeNs) {
    return transacting && isOverdue(sinceNs, timeNs);
  }

  private boolean isOverdue(long startNs, long timeNs) {
    return startNs != NONE && timeNs - startNs > timeoutNs;
  }
}
