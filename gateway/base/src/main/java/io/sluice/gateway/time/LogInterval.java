package io.sluice.gateway.time;

import java.util.concurrent.TimeUnit;

/** Rate limit of a log event: one event per minute, with the number of occurrences. Any thread. */
public final class LogInterval {
  private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

  private long since;
  private long loggedNs;
  private boolean logged;

  /** Counts an occurrence. Returns the number since the last logged one, or 0 if none is due. */
  public synchronized long add(long nowNs) {
    since++;
    if (logged && nowNs - loggedNs < INTERVAL_NS) {
      return 0;
    }
    long times = since;
    logged = true;
    loggedNs = nowNs;
    since = 0;
    return times;
  }
}
