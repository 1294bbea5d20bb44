package io.sluice.gateway.drain;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Drain of a node: how many clients may be notified now, and how many have left. One thread ticks
 * it, all event loops take turns from it.
 *
 * <p>In the first half of the time clients are told to leave, each at its turn; a slower pace goes
 * on after that. In the last tenth those that are still there are closed, one after the other.
 */
public final class Drain {
  /** Interval at which {@link #onTick} is to be called. */
  public static final long TICK_MS = 50;

  private static final int LEAST_CLOSED_A_TICK = 50;

  private final long lengthMs;
  private final DrainPacer pace;
  private final Supplier<String> places;
  private final int loops;
  private final GatewayMetrics metrics;
  private final LongSupplier clockMs;
  private final long beganMs;
  private final long deadlineMs;

  /** Clients that may be told, and have not been yet. */
  private final AtomicInteger turns = new AtomicInteger();

  /** Clients that have not been told. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** Loops that have counted their clients. */
  private final AtomicInteger counted = new AtomicInteger();

  /** One for each loop that has counted its clients. */
  private final Queue<LoopDrain> parts = new ConcurrentLinkedQueue<>();

  private final LongAdder told = new LongAdder();
  private final LongAdder moved = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private long tickedMs;

  /**
   * Begins.
   *
   * @param places where the next client should go, or null for its own addresses; any thread
   * @param loops how many share the clients
   */
  public Drain(
      long lengthMs, DrainPacer pace, Supplier<String> places, int loops, GatewayMetrics metrics) {
    this(lengthMs, pace, places, loops, metrics, Drain::nowMs);
  }

  /** As above; {@code clockMs} only rises. */
  public Drain(
      long lengthMs,
      DrainPacer pace,
      Supplier<String> places,
      int loops,
      GatewayMetrics metrics,
      LongSupplier clockMs) {
    this.lengthMs = lengthMs;
    this.pace = pace;
    this.places = places;
    this.loops = loops;
    this.metrics = metrics;
    this.clockMs = clockMs;
    this.beganMs = clockMs.getAsLong();
    this.tickedMs = beganMs;
    this.deadlineMs = System.currentTimeMillis() + lengthMs;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** After how long clients are no longer told, but closed, if it all may take so long. */
  public static long untilClosingMs(long lengthMs) {
    return lengthMs - lengthMs / 10;
  }

  /** Lets more clients be told, on all loops; called every {@link #TICK_MS} by one thread. */
  public void onTick() {
    int without = waiting.get() - turns.get();
    long now = clockMs.getAsLong();
    if (without > 0 && now > tickedMs) {
      long leftMs = Math.max(0, lengthMs / 2 - elapsedMs());
      turns.addAndGet(Math.min(without, pace.clients(without, now - tickedMs, leftMs)));
    }
    tickedMs = now;
    parts.forEach(LoopDrain::tick);
  }

  /** Since it began. */
  public long elapsedMs() {
    return clockMs.getAsLong() - beganMs;
  }

  /** Clients that were told to leave. */
  public long told() {
    return told.sum();
  }

  /** Those of them that have left by themselves, and in order. */
  public long moved() {
    return moved.sum();
  }

  /** Clients that were closed with 4100. */
  public long closed() {
    return closed.sum();
  }

  /** Clients that have not been told; as given, as long as not all loops have counted theirs. */
  public int untold(int connections) {
    return counted.get() < loops ? connections : waiting.get();
  }

  /** When the last connection is closed, Unix milliseconds. */
  long deadlineMs() {
    return deadlineMs;
  }

  /** Where a client should go, or null. */
  String place() {
    return places.get();
  }

  /** How many turns a loop may take in one tick, so that the other loops have theirs. */
  int share() {
    return (turns.get() + loops - 1) / loops;
  }

  /** Takes a turn to tell one client; false if there is none. */
  boolean takeTurn() {
    return turns.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  boolean isClosing() {
    return elapsedMs() >= untilClosingMs(lengthMs);
  }

  /** How many of a loop's connections to close in this tick. */
  int toClose(int open) {
    long leftMs = lengthMs - elapsedMs();
    if (leftMs <= TICK_MS) {
      return open;
    }
    long even = (open * TICK_MS + leftMs - 1) / leftMs;
    return (int) Math.min(open, Math.max(even, LEAST_CLOSED_A_TICK));
  }

  /** Adds a loop with this number of clients. */
  void onLoop(LoopDrain loop, int clients) {
    onWaiting(clients);
    parts.add(loop);
    counted.incrementAndGet();
  }

  /** So many more clients have not been told, or less if negative. */
  void onWaiting(int more) {
    waiting.addAndGet(more);
  }

  void onTold() {
    told.increment();
    metrics.drained("told");
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
