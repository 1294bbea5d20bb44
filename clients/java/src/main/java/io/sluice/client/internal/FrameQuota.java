package io.sluice.client.internal;

import java.util.function.BooleanSupplier;

/**
 * Quota of the received frames that wait for listeners. While a call is unanswered, more frames may
 * wait: a listener that waits for an answer would otherwise wait for itself.
 */
public final class FrameQuota {
  /** Factor of the limit while a call is unanswered. */
  private static final int CALL_FACTOR = 16;

  private static final long CHECK_MS = 20;

  private final int max;
  private int queued;
  private boolean isClosed;

  /** Creates a quota for a number of frames. */
  public FrameQuota(int max) {
    this.max = max;
  }

  /**
   * Waits for room; called by the thread that reads a connection.
   *
   * @param isIdle whether no call of the connection is unanswered
   * @param isEnded whether the connection has ended, after which nothing waits
   */
  public synchronized void acquire(BooleanSupplier isIdle, BooleanSupplier isEnded) {
    while (queued >= limit(isIdle) && !isClosed && !isEnded.getAsBoolean()) {
      try {
        wait(CHECK_MS);
      } catch (InterruptedException e) {
        // The socket's thread is interrupted only when its pool is stopped.
        Thread.currentThread().interrupt();
        break;
      }
    }
    queued++;
  }

  private long limit(BooleanSupplier isIdle) {
    return isIdle.getAsBoolean() ? max : (long) max * CALL_FACTOR;
  }

  /** Returns the place of a frame. */
  public synchronized void release() {
    queued--;
    notifyAll();
  }

  /** Ends all waits. */
  public synchronized void close() {
    isClosed = true;
    notifyAll();
  }
}
