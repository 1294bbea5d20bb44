package io.sluice.gateway.broker.jms;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Bounded set of threads for JMS calls that wait for the broker. Bound to the control thread. A
 * call that never returns keeps its slot.
 */
final class CallSlots {
  private static final long IDLE_THREAD_MS = 10_000;

  /** One call, from its start until its thread returns. */
  abstract static class Call {
    final BrokerConnection connection;

    /** When it began to wait for the broker; 0 while it waits for a slot. */
    private long startedNs;

    /** Whether it took too long and was given up; its thread still waits for the broker. */
    private boolean abandoned;

    Call(BrokerConnection connection) {
      this.connection = connection;
    }

    final boolean isAbandoned() {
      return abandoned;
    }

    final void abandon() {
      abandoned = true;
    }
  }

  private final int limit;
  private final ThreadPoolExecutor threads;
  private final Set<Call> started = new LinkedHashSet<>();

  CallSlots(int limit, String threadName) {
    this.limit = limit;
    this.threads =
        new ThreadPoolExecutor(
            limit,
            limit,
            IDLE_THREAD_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  boolean areFree() {
    return started.size() < limit;
  }

  /** Whether calls that were abandoned occupy all slots. */
  boolean areStuck() {
    return abandoned() == limit;
  }

  private long abandoned() {
    return started.stream().filter(Call::isAbandoned).count();
  }

  /**
   * Runs a call on a thread.
   *
   * @throws Throwable if there is no thread for it; it occupies its slot all the same
   */
  void start(Call call, Runnable work) {
    call.startedNs = System.nanoTime();
    started.add(call);
    threads.execute(work);
  }

  /** The thread of a call has returned. */
  void end(Call call) {
    started.remove(call);
  }

  boolean isStarted(Call call) {
    return started.contains(call);
  }

  Set<Call> started() {
    return started;
  }

  /** Calls that have taken longer than {@code timeoutNs} and are not abandoned yet. */
  List<Call> overdue(long timeoutNs) {
    long nowNs = System.nanoTime();
    return started.stream()
        .filter(call -> !call.abandoned && nowNs - call.startedNs > timeoutNs)
        .toList();
  }

  /** Interrupts all threads. */
  void shutDown() {
    started.clear();
    threads.shutdownNow();
  }
}
