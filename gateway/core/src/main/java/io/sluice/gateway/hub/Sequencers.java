package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Thread pools that run the mailboxes, which sequence and encode messages. A mailbox with more than
 * one quantum of work continues in a separate pool with one thread fewer than processors.
 * Overloaded topics therefore leave a processor and idle threads to all other topics. Any thread
 * may call it.
 */
final class Sequencers {
  /** Maximum time for which a mailbox occupies a thread, except that a command is never split. */
  static final long QUANTUM_NS = TimeUnit.MICROSECONDS.toNanos(500);

  /** The same for a thread that posts a message. */
  static final long CALLER_QUANTUM_NS = TimeUnit.MICROSECONDS.toNanos(50);

  private final Executor fresh;
  private final Executor backlog;
  private final HubClock clock;

  /** Null if threads that post messages never run mailboxes. */
  private final CallerBudget callers;

  /**
   * Creates sequencers with given executors.
   *
   * @param fresh runs mailboxes that were empty
   * @param backlog runs mailboxes that have exceeded their quantum
   * @param callers budget of the threads that post messages, or null
   */
  Sequencers(Executor fresh, Executor backlog, HubClock clock, CallerBudget callers) {
    this.fresh = fresh;
    this.backlog = backlog;
    this.clock = clock;
    this.callers = callers;
  }

  /**
   * Starts {@code threads} threads for mailboxes that were empty, and one fewer, but at least one,
   * for those with a backlog.
   */
  static Sequencers start(int threads, HubClock clock) {
    return new Sequencers(
        pool("sluice-sequencer-", threads),
        pool("sluice-sequencer-backlog-", Math.max(1, threads - 1)),
        clock,
        new CallerBudget(clock.nanos()));
  }

  // Its queue is bounded by the number of mailboxes: each is queued at most once.
  private static ExecutorService pool(String prefix, int threads) {
    AtomicInteger number = new AtomicInteger();
    return Executors.newFixedThreadPool(
        threads,
        task -> {
          Thread thread = new Thread(task, prefix + number.getAndIncrement());
          thread.setDaemon(true);
          return thread;
        });
  }

  void execute(Mailbox mailbox, boolean backlogged) {
    (backlogged ? backlog : fresh).execute(mailbox);
  }

  /** Returns whether the calling thread may run the mailbox of its message. */
  boolean callerMayRun(long nowNs) {
    return callers != null && callers.permits(nowNs);
  }

  /** Charges the run of a thread that has posted a message. */
  void chargeCaller(long startNs) {
    callers.charge(startNs, clock.nanos());
  }

  long nanoTime() {
    return clock.nanos();
  }

  /** Stops the threads without running the queued mailboxes. */
  void stop() {
    stop(fresh);
    stop(backlog);
  }

  private static void stop(Executor executor) {
    if (executor instanceof ExecutorService pool) {
      pool.shutdownNow();
    }
  }
}
