package io.sluice.gateway.time;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Monotonic clock that stops while its owner is late. Deadlines by this clock measure the time in
 * which the node could read. A stopped process, a suspended machine and a lack of CPU time do not
 * count.
 *
 * <p>The owner is a periodic check, and calls {@link #tick} in each run. Any thread reads the time.
 */
public final class RunningClock {
  /** Longest part of a wait. */
  private static final long AWAIT_MS = 500;

  private final LongSupplier nanoTime;
  private final long periodNs;
  private volatile State state;

  /**
   * State between two ticks.
   *
   * @param limitNs latest time of the next tick, at which the clock stops, by the underlying clock
   * @param stoppedNs start of the clock, and the total time during which it was stopped
   * @param deferred whether the tick at its start has deferred the check of deadlines
   */
  private record State(long limitNs, long stoppedNs, boolean deferred) {}

  /**
   * Creates a clock that runs until the first tick is due.
   *
   * @param nanoTime the underlying monotonic clock, in nanoseconds
   * @param periodMs longest time between two ticks that counts, in milliseconds
   */
  public RunningClock(LongSupplier nanoTime, long periodMs) {
    this.nanoTime = nanoTime;
    this.periodNs = TimeUnit.MILLISECONDS.toNanos(periodMs);
    long startNs = nanoTime.getAsLong();
    this.state = new State(startNs + periodNs, startNs, false);
  }

  /** Returns the running time since the creation of the clock, in nanoseconds. */
  public long nowNs() {
    State current = state;
    long nowNs = nanoTime.getAsLong();
    return (nowNs - current.limitNs > 0 ? current.limitNs : nowNs) - current.stoppedNs;
  }

  /** Returns the running time since the creation of the clock, in milliseconds. */
  public long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nowNs());
  }

  /**
   * Lets the clock run until the next tick is due. To be called by the periodic check, before it
   * checks deadlines.
   *
   * @return whether deadlines can be checked: false for the first tick after a pause, because what
   *     was received must be read first
   */
  public synchronized boolean tick() {
    State current = state;
    long nowNs = nanoTime.getAsLong();
    long lateNs = Math.max(0, nowNs - current.limitNs);
    boolean deferred = lateNs >= periodNs && !current.deferred;
    state = new State(nowNs + periodNs, current.stoppedNs + lateNs, deferred);
    return !deferred;
  }

  /** Starts the clock again after a time without checks. No pause has to be deferred. */
  public synchronized void resume() {
    tick();
    state = new State(state.limitNs, state.stoppedNs, false);
  }

  /**
   * Waits until a latch opens. A pause of the process counts for at most half a second.
   *
   * @return false if the limit has passed
   */
  public static boolean await(CountDownLatch latch, Duration limit) throws InterruptedException {
    for (long leftMs = limit.toMillis(); leftMs > 0; leftMs -= AWAIT_MS) {
      if (latch.await(Math.min(leftMs, AWAIT_MS), TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    return latch.getCount() == 0;
  }

  /** Returns how late the next tick is, in nanoseconds; negative before it is due. */
  public long lateNs() {
    return nanoTime.getAsLong() - state.limitNs;
  }
}
