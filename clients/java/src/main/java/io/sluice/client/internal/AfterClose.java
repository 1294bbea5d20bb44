package io.sluice.client.internal;

import java.util.function.DoubleSupplier;

/** Reaction of a client to a close code: PROTOCOL.md, section 7. */
public enum AfterClose {
  /** Reconnect after the backoff. */
  RETRY,
  /** Reconnect, at once after a connection that was stable. */
  RETRY_ELSEWHERE,
  /** Do not reconnect: the result would be the same. */
  DONT_RETRY;

  private static final int MAX_DOUBLINGS = 30;

  /** Returns the reaction to a close code; 1006 if a connection ended without one. */
  public static AfterClose of(int code) {
    if (code >= 4100 && code <= 4199) {
      return RETRY_ELSEWHERE;
    }
    // Any other code may come from an intermediary.
    boolean isFatal = code == 4200 || code == 4201 || (code >= 4203 && code <= 4205);
    return isFatal ? DONT_RETRY : RETRY;
  }

  /**
   * Returns the wait in milliseconds: random between 0 and a bound that doubles with each failure.
   *
   * @param random numbers from 0 up to, but not including, 1
   */
  public static long backoffMs(int failures, long minMs, long maxMs, DoubleSupplier random) {
    double bound = minMs * Math.pow(2, Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS));
    return (long) (random.getAsDouble() * Math.min(bound, maxMs));
  }
}
