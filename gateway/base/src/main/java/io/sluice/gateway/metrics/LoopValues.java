package io.sluice.gateway.metrics;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers written by one thread, an event loop. They share no cache line with those of another
 * loop. Any thread may read.
 */
final class LoopValues {
  /** Two cache lines, because processors prefetch the neighbor of a line. */
  private static final int PADDING = 2 * 64 / Long.BYTES;

  private final AtomicLongArray values;

  LoopValues(int count) {
    values = new AtomicLongArray(PADDING + count + PADDING);
  }

  /** Adds to a number. Only the owner may call it. */
  void add(int index, long more) {
    int at = PADDING + index;
    values.lazySet(at, values.getPlain(at) + more);
  }

  /** Raises a number to a value that is larger. Only the owner may call it. */
  void max(int index, long value) {
    int at = PADDING + index;
    if (value > values.get(at)) {
      values.set(at, value);
    }
  }

  long get(int index) {
    return values.get(PADDING + index);
  }

  /** Returns a number and sets it to 0. Any thread may call it. */
  long take(int index) {
    return values.getAndSet(PADDING + index, 0);
  }
}
