package io.sluice.loadtest.broker;

import java.util.concurrent.locks.LockSupport;

/**
 * Open-loop pacer of one producer thread. The latency of a late message counts from its due time,
 * which avoids coordinated omission.
 */
final class SendPacer {
  private static final double NANOS = 1e9;

  private final double intervalNanos;
  private long begin;
  private long next;

  /** Creates a pacer for a rate in messages a second; 0: no pacing. */
  SendPacer(double rate) {
    intervalNanos = rate == 0 ? 0 : NANOS / rate;
  }

  /** Waits until the next message is due or the trial ends; returns the due time. */
  long awaitNext(TrialPhase stage) {
    long now = System.nanoTime();
    if (intervalNanos == 0) {
      return now;
    }
    if (next == 0) {
      begin = now;
    }
    long due = begin + (long) (next++ * intervalNanos);
    while (due - now > 0 && !stage.ended()) {
      LockSupport.parkNanos(due - now);
      now = System.nanoTime();
    }
    return due;
  }
}
