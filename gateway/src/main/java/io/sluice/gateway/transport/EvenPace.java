package io.sluice.gateway.transport;

/** Spreads the clients over the time that there is. Without state. */
final class EvenPace implements MovePace {
  /** Few come back at once without harm, and a node that has few stops soon. */
  private static final int LEAST_PER_SECOND = 1000;

  @Override
  public int clients(int waiting, long passedMs, long leftMs) {
    if (passedMs >= leftMs) {
      return waiting;
    }
    long even = ceil(waiting * passedMs, leftMs);
    return (int) Math.min(waiting, Math.max(even, ceil(LEAST_PER_SECOND * passedMs, 1000)));
  }

  private static long ceil(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  @Override
  public long forecastMs(int clients) {
    return 0; // never later than asked for
  }
}
