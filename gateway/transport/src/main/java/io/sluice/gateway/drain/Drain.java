package io.sluice.gateway.drain;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.time.RunningClock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Drain of a node: permits for notifying clients, and counts of those that have left. One thread
 * ticks it; all event loops take permits from it.
 *
 * <p>Clients are notified in the first half of the time, or for longer if the pacer requires it. In
 * the last tenth, the remaining connections are closed at an even rate.
 */
public final class Drain {
  /** Interval at which {@link #onTick} is to be called. */
  public static final long TICK_MS = 50;

  /** Longest time between two ticks that counts. */
  private static final long PAUSE_MS = 10 * TICK_MS;

  private static final int MIN_CLOSED_PER_TICK = 50;

  private final long lengthMs;
  private final DrainPacer pacer;
  private final Supplier<String> targets;
  private final int loops;
  private final GatewayMetrics metrics;
  private final RunningClock clock;

  /** Unused permits to notify a client. */
  private final AtomicInteger permits = new AtomicInteger();

  /** Clients that have not been notified. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** Number of loops that have counted their clients. */
  private final AtomicInteger countedLoops = new AtomicInteger();

  /** One for each loop that has counted its clients. */
  private final Queue<LoopDrain> loopDrains = new ConcurrentLinkedQueue<>();

  private volatile boolean cancelled;

  private final LongAdder notified = new LongAdder();
  private final LongAdder moved = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private long tickedMs;

  /**
   * Begins the drain.
   *
   * @param pacer rate at which clients are notified
   * @param targets supplies the redirect target of the next client, or null for its configured
   *     addresses; called by any thread
   * @param loops number of event loops with clients
   */
  public Drain(
      long lengthMs,
      DrainPacer pacer,
      Supplier<String> targets,
      int loops,
      GatewayMetrics metrics) {
    this(lengthMs, pacer, targets, loops, metrics, Drain::nowMs);
  }

  /**
   * Begins the drain with a clock.
   *
   * @param clockMs monotonic clock, in milliseconds
   */
  public Drain(
      long lengthMs,
      DrainPacer pacer,
      Supplier<String> targets,
      int loops,
      GatewayMetrics metrics,
      LongSupplier clockMs) {
    this.lengthMs = lengthMs;
    this.pacer = pacer;
    this.targets = targets;
    this.loops = loops;
    this.metrics = metrics;
    this.clock =
        new RunningClock(() -> TimeUnit.MILLISECONDS.toNanos(clockMs.getAsLong()), PAUSE_MS);
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Returns the time after which clients are closed instead of notified. */
  public static long untilClosingMs(long lengthMs) {
    return lengthMs - lengthMs / 10;
  }

  /** Ends the drain: the loops notify and close no further clients. Any thread. */
  public void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** Adds permits and ticks all loops. To be called every {@link #TICK_MS} by one thread. */
  public void onTick() {
    if (!clock.tick()) {
      return; // after a pause, what the clients have sent is read first
    }
    int unpermitted = waiting.get() - permits.get();
    long now = elapsedMs();
    if (unpermitted > 0 && now > tickedMs) {
      long leftMs = Math.max(0, lengthMs / 2 - elapsedMs());
      permits.addAndGet(Math.min(unpermitted, pacer.clients(unpermitted, now - tickedMs, leftMs)));
    }
    tickedMs = now;
    loopDrains.forEach(LoopDrain::tick);
  }

  /** Returns the time since the beginning of the drain, without pauses of the process. */
  public long elapsedMs() {
    return clock.nowMs();
  }

  /** Returns the number of notified clients. */
  public long notified() {
    return notified.sum();
  }

  /** Returns the number of notified clients that closed their connections in order. */
  public long moved() {
    return moved.sum();
  }

  /** Returns the number of clients that were closed with 4100. */
  public long closed() {
    return closed.sum();
  }

  /**
   * Returns the number of clients that have not been notified.
   *
   * @param connections returned until all loops have counted their clients
   */
  public int unnotified(int connections) {
    return countedLoops.get() < loops ? connections : waiting.get();
  }

  /** Returns the time at which the last connection is closed, Unix milliseconds. */
  long deadlineMs() {
    return System.currentTimeMillis() + lengthMs - elapsedMs();
  }

  /** Returns the redirect target of the next client, or null. */
  String nextTarget() {
    return targets.get();
  }

  /** Returns the number of permits that one loop may take in one tick. */
  int permitsPerLoop() {
    return (permits.get() + loops - 1) / loops;
  }

  /** Takes a permit to notify one client. Returns false if there is none. */
  boolean takePermit() {
    return permits.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  boolean isClosing() {
    return elapsedMs() >= untilClosingMs(lengthMs);
  }

  /**
   * Returns the number of a loop's connections to close in this tick.
   *
   * @param open connections of the loop that are not closing
   */
  int closesPerTick(int open) {
    long leftMs = lengthMs - elapsedMs();
    if (leftMs <= TICK_MS) {
      return open;
    }
    long even = (open * TICK_MS + leftMs - 1) / leftMs;
    return (int) Math.min(open, Math.max(even, MIN_CLOSED_PER_TICK));
  }

  /** Adds a loop with this number of clients. */
  void addLoop(LoopDrain loop, int clients) {
    addWaiting(clients);
    loopDrains.add(loop);
    countedLoops.incrementAndGet();
  }

  /** Changes the number of clients that have not been notified. */
  void addWaiting(int change) {
    waiting.addAndGet(change);
  }

  void onNotified() {
    notified.increment();
    metrics.drained("notified");
  }

  void onMoved() {
    moved.increment();
    metrics.drained("moved");
  }

  void onClosed() {
    closed.increment();
    metrics.drained("closed");
  }
}
