package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that run mailboxes: they sequence and encode messages. A mailbox that has more than one
 * quantum of work continues on threads of its own kind, one fewer than there are processors, so
 * that topics beyond their capacity leave a processor and idle threads to all other topics.
 */
final class Sequencers {
  /** Time for which one mailbox occupies a thread; one command is never split. */
  static final long QUANTUM_NS = TimeUnit.MICROSECONDS.toNanos(500);

  private final Executor fresh;
  private final Executor backlog;
  private final HubClock clock;

  /**
   * @param fresh runs mailboxes that were empty
   * @param backlog runs mailboxes that have exceeded their quantum
   */
  Sequencers(Executor fresh, Executor backlog, HubClock clock) {
    this.fresh = fresh;
    this.backlog = backlog;
    this.clock = clock;
  }

  /** Starts {@code threads} threads for fresh mailboxes and one fewer, at least one, for others. */
  static Sequencers start(int threads, HubClock clock) {
    return new Sequencers(
        pool("sluice-sequencer-", threads),
        pool("sluice-sequencer-backlog-", Math.max(1, threads - 1)),
        clock);
  }

  // Its queue is bounded by the number of mailboxes: each waits there once.
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

  long nanoTime() {
    return clock.nanos();
  }

  /** Stops the threads; what waits is not run. */
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
