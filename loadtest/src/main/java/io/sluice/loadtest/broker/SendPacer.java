package io.sluice.loadtest.broker;

import java.util.concurrent.locks.LockSupport;

/**
 * Open-loop pacer of one producer thread. Bound to that thread.
 *
 * <p>The latency of a late message is measured from its due time, which avoids coordinated
 * omission.
 */
final class SendPacer {
  private static final double NANOS = 1e9;

  private final double intervalNanos;
  private long start;
  private long next;

  /** Creates a pacer for a rate in messages per second; 0 disables pacing. */
  SendPacer(double rate) {
    intervalNanos = rate == 0 ? 0 : NANOS / rate;
  }

  /** Waits until the next message is due or the trial ends; returns the due time. */
  long awaitNext(TrialPhase phase) {
    long now = System.nanoTime();
    if (intervalNanos == 0) {
      return now;
    }
    if (next == 0) {
      start = now;
    }
    long due = start + (long) (next++ * intervalNanos);
    while (due - now > 0 && !phase.hasEnded()) {
      LockSupport.parkNanos(due - now);
      now = System.nanoTime();
    }
    return due;
  }
}
