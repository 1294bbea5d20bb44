package io.sluice.cluster;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Lets one event a minute into the log, and tells how many came since. Any thread may call it. */
final class Seldom {
  private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoTime;
  private long lastNs;
  private long since;
  private boolean begun;

  Seldom(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** 0 if nothing is to be said of this one, else how many there were, it included. */
  synchronized long count() {
    since++;
    long now = nanoTime.getAsLong();
    if (begun && now - lastNs < PAUSE_NS) {
      return 0;
    }
    begun = true;
    lastNs = now;
    long count = since;
    since = 0;
    return count;
  }
}
