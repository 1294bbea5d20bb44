package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.BrokerThreads;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;

/**
 * Bounded thread pool for JMS calls that wait for the broker. Bound to the control thread. A call
 * that never returns occupies its slot forever.
 */
final class CallSlots {
  /** Call that occupies a slot from its start until its thread returns. */
  abstract static class Call {
    final BrokerConnection connection;

    /** Start of the call, by the clock of the slots; 0 while it is queued. */
    private long startedNs;

    /** True if it exceeded its timeout and was abandoned; its thread still waits for the broker. */
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
  private final LongSupplier clockNs;
  private final ExecutorService threads;
  private final Set<Call> started = new LinkedHashSet<>();

  /**
   * @param clockNs clock of the timeouts
   */
  CallSlots(int limit, String threadName, LongSupplier clockNs) {
    this.limit = limit;
    this.clockNs = clockNs;
    this.threads = BrokerThreads.SYSTEM.pool(limit, threadName);
  }

  boolean hasFree() {
    return started.size() < limit;
  }

  /** Returns whether abandoned calls occupy all slots. */
  boolean isExhausted() {
    return abandoned() == limit;
  }

  private long abandoned() {
    return started.stream().filter(Call::isAbandoned).count();
  }

  /**
   * Runs a call on a thread.
   *
   * @throws Throwable if no thread can be started; the call occupies its slot nevertheless
   */
  void start(Call call, Runnable work) {
    call.startedNs = clockNs.getAsLong();
    started.add(call);
    threads.execute(work);
  }

  /** Frees the slot of a call whose thread has returned. */
  void end(Call call) {
    started.remove(call);
  }

  boolean isStarted(Call call) {
    return started.contains(call);
  }

  Set<Call> started() {
    return started;
  }

  /** Returns calls that have exceeded {@code timeoutNs} and are not abandoned. */
  List<Call> overdue(long timeoutNs) {
    long nowNs = clockNs.getAsLong();
    return started.stream()
        .filter(call -> !call.abandoned && nowNs - call.startedNs > timeoutNs)
        .toList();
  }

  /** Removes all calls and interrupts all threads. */
  void shutDown() {
    started.clear();
    threads.shutdownNow();
  }
}
