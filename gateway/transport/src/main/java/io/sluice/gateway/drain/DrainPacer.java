package io.sluice.gateway.drain;

/** Rate at which a draining node notifies its clients. Called by one thread. */
public interface DrainPacer {
  /**
   * Returns the pacer of a node without a cluster.
   *
   * @param perSecond clients per second; 0: spread over the time of the drain
   */
  static DrainPacer of(int perSecond) {
    return perSecond == 0 ? new Even() : new Steady(perSecond);
  }

  /**
   * Returns the number of further clients that may be notified. Called periodically.
   *
   * @param waiting clients that have not been notified, at least 1
   * @param passedMs time since the previous call
   * @param leftMs time until all of them should be notified
   */
  int clients(int waiting, long passedMs, long leftMs);

  /** Returns the estimated time until this number of clients is notified, in milliseconds. */
  long forecastMs(int clients);

  /** Policy that spreads the clients evenly over the time left. Stateless. */
  final class Even implements DrainPacer {
    /**
     * Minimum rate, so that a node with few clients stops soon. Reconnects at this rate are no load
     * peak.
     */
    private static final int MIN_PER_SECOND = 1000;

    @Override
    public int clients(int waiting, long passedMs, long leftMs) {
      if (passedMs >= leftMs) {
        return waiting;
      }
      long even = ceil(waiting * passedMs, leftMs);
      return (int) Math.min(waiting, Math.max(even, ceil(MIN_PER_SECOND * passedMs, 1000)));
    }

    private static long ceil(long dividend, long divisor) {
      return (dividend + divisor - 1) / divisor;
    }

    @Override
    public long forecastMs(int clients) {
      return 0; // within the time of the drain
    }
  }

  /** Policy of a fixed rate, {@code drain.rate}. Bound to the calling thread. */
  final class Steady implements DrainPacer {
    private static final long SECOND_MS = 1000;

    private final int perSecond;

    /** Unused permits, in thousandths of a client. */
    private long credit;

    Steady(int perSecond) {
      this.perSecond = perSecond;
    }

    @Override
    public int clients(int waiting, long passedMs, long leftMs) {
      credit += passedMs * perSecond;
      int clients = (int) Math.min(waiting, credit / SECOND_MS);
      // Clients that left without a notification save at most one permit.
      credit = Math.min(credit - clients * SECOND_MS, SECOND_MS);
      return clients;
    }

    @Override
    public long forecastMs(int clients) {
      return (clients * SECOND_MS + perSecond - 1) / perSecond;
    }
  }
}
