package io.sluice.gateway.feed;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Clock and timer of a feed. Any thread. */
interface FeedClock {
  /** Returns monotonic nanoseconds. */
  long nowNs();

  /** Returns nanoseconds since 1970. */
  long epochNs();

  /** Parks the thread for about that time, or until it is unparked; may return early. */
  void park(long ns);

  /** Returns the system's clocks. */
  static FeedClock system() {
    return new FeedClock() {
      @Override
      public long nowNs() {
        return System.nanoTime();
      }

      @Override
      public long epochNs() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
      }

      @Override
      public void park(long ns) {
        LockSupport.parkNanos(ns);
      }
    };
  }
}
