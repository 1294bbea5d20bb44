package io.sluice.gateway.trace;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Start of a trace, which converts its later times to those of the wall clock. Immutable.
 *
 * @param startNs start by {@link System#nanoTime}
 * @param offsetNs nanoseconds from 1970 to the origin of {@link System#nanoTime}
 */
record TraceTime(long startNs, long offsetNs) {
  static TraceTime now() {
    long nowNs = System.nanoTime();
    Instant now = Instant.now();
    return new TraceTime(
        nowNs, TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - nowNs);
  }

  /** Converts a time of {@link System#nanoTime} to nanoseconds since 1970. */
  long epochNs(long ns) {
    return offsetNs + ns;
  }
}
