package io.sluice.loadtest;

import java.time.Duration;
import java.time.Instant;

/** The time in which latencies are taken. Immutable, for any thread. */
record Span(long fromUnixNanos, long toUnixNanos) {
  private static final long NANOS = 1_000_000_000L;

  /** The span that begins after the ramp, when all clients are there. */
  static Span after(long nowUnixNanos, Duration ramp, Duration duration) {
    long from = nowUnixNanos + ramp.toNanos();
    return new Span(from, from + duration.toNanos());
  }

  /** The wall clock; on Linux it has nanoseconds. */
  static long unixNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * NANOS + now.getNano();
  }

  boolean contains(long unixNanos) {
    return unixNanos >= fromUnixNanos && unixNanos < toUnixNanos;
  }

  boolean endedBy(long unixNanos) {
    return unixNanos >= toUnixNanos;
  }
}
