package io.sluice.gateway.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits without a checked exception. Stateless, for any thread. */
final class Waiting {
  private Waiting() {}

  /** Returns when the latch is open, the time is up, or the thread is interrupted. */
  static boolean on(CountDownLatch latch, Duration limit) {
    try {
      return latch.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
