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
    return awaitTime(start + (long) (next++ * intervalNanos), phase);
  }

  /** Waits until a time after the first call or until the trial ends; returns the due time. */
  long awaitOffset(long offsetNanos, TrialPhase phase) {
    if (next++ == 0) {
      start = System.nanoTime() - offsetNanos;
    }
    return awaitTime(start + offsetNanos, phase);
  }

  private static long awaitTime(long due, TrialPhase phase) {
    long now = System.nanoTime();
    while (due - now > 0 && !phase.hasEnded()) {
      LockSupport.parkNanos(due - now);
      now = System.nanoTime();
    }
    return due;
  }
}
