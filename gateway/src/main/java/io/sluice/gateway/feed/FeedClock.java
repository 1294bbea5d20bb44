package io.sluice.gateway.feed;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Time as a feed sees it. For any thread. */
interface FeedClock {
  /** Nanoseconds that only ever rise. */
  long nowNs();

  /** Nanoseconds since 1970. */
  long epochNs();

  /** Returns after about that long, or at once if the thread is unparked; may return too early. */
  void park(long ns);

  /** The machine's clocks. */
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
