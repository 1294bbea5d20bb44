package io.sluice.gateway.hub;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Time budget of the JMS client's threads for running mailboxes. They run a mailbox only while its
 * share of the elapsed time is small, because they also have to read the connection. Any thread may
 * call it.
 *
 * <p>Its only state is the time at which the budget will be unused again.
 */
final class CallerBudget {
  /** Nanoseconds that must pass for each nanosecond of a run: all runs take half a thread. */
  private static final long COST = 2;

  /** Time that may be overdrawn, which permits all messages of a burst. */
  private static final long BURST_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong unusedNs;

  /** Creates an unused budget. */
  CallerBudget(long nowNs) {
    unusedNs = new AtomicLong(nowNs);
  }

  /** Returns whether a run may start. */
  boolean permits(long nowNs) {
    return unusedNs.get() - nowNs <= BURST_NS;
  }

  /** Charges a run that has ended. */
  void charge(long startNs, long endNs) {
    long costNs = COST * (endNs - startNs);
    unusedNs.updateAndGet(before -> (before - startNs > 0 ? before : startNs) + costNs);
  }
}
