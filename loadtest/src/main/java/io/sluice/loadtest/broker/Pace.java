package io.sluice.loadtest.broker;

import java.util.concurrent.locks.LockSupport;

/**
 * When each message is due. A message that is sent late counts from when it was due, so that a
 * broker that stands still for a while shows in all the messages that it kept waiting. For one
 * thread.
 */
final class Pace {
  private static final double NANOS = 1e9;

  private final double intervalNanos;
  private long begin;
  private long next;

  /** A pace of so many messages a second; 0: each is due at once. */
  Pace(double rate) {
    intervalNanos = rate == 0 ? 0 : NANOS / rate;
  }

  /** Waits until the next message is due, or the stage ends; answers when it was due. */
  long awaitNext(Stage stage) {
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
