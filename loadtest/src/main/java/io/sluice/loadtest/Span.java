package io.sluice.loadtest;

import java.time.Duration;
import java.time.Instant;

/** Time span in which latencies are recorded. Immutable, for any thread. */
record Span(long fromUnixNanos, long toUnixNanos) {
  private static final long NANOS = 1_000_000_000L;

  /** Returns the span that starts after the ramp, when all clients are connected. */
  static Span after(long nowUnixNanos, Duration ramp, Duration duration) {
    long from = nowUnixNanos + ramp.toNanos();
    return new Span(from, from + duration.toNanos());
  }

  /** Returns the wall-clock time. Its resolution on Linux is one nanosecond. */
  static long unixNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * NANOS + now.getNano();
  }

  boolean contains(long unixNanos) {
    return unixNanos >= fromUnixNanos && unixNanos < toUnixNanos;
  }

  boolean hasEndedBy(long unixNanos) {
    return unixNanos >= toUnixNanos;
  }
}
