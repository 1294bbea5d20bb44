package io.sluice.gatling.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Systematic sample of messages that limits responses per second: of the messages of a second, each
 * n-th is logged. The number n results from the second before. For any thread.
 */
final class ResponseSampler {
  private final int maxPerSecond;
  private final AtomicLong second = new AtomicLong(Long.MIN_VALUE);
  private final AtomicInteger seen = new AtomicInteger();
  private final AtomicInteger logged = new AtomicInteger();
  private final LongAdder total = new LongAdder();
  private final LongAdder skipped = new LongAdder();

  private volatile int interval = 1;

  ResponseSampler(int maxPerSecond) {
    this.maxPerSecond = maxPerSecond;
  }

  /** Returns whether a message that arrives now becomes a response. */
  boolean accepts(long nowMs) {
    enter(Math.floorDiv(nowMs, 1_000));
    total.increment();
    boolean isSampled = seen.incrementAndGet() % interval == 0;
    boolean accepted = isSampled && logged.incrementAndGet() <= maxPerSecond;
    if (!accepted) {
      skipped.increment();
    }
    return accepted;
  }

  private void enter(long now) {
    long before = second.get();
    if (now > before && second.compareAndSet(before, now)) {
      int count = seen.getAndSet(0);
      logged.set(0);
      interval = maxPerSecond == 0 ? 1 : Math.max(1, -Math.floorDiv(-count, maxPerSecond));
    }
  }

  /** Returns the number of messages. */
  long total() {
    return total.sum();
  }

  /** Returns the number of messages without a response. */
  long skipped() {
    return skipped.sum();
  }
}
