package io.sluice.gateway.drain;

/** Rate at which a draining node notifies its clients. Called by one thread. */
public interface DrainPacer {
  /**
   * Returns the pacer of a node without a cluster.
   *
   * @param perSecond clients a second; 0: spread over the time of the drain
   */
  static DrainPacer of(int perSecond) {
    return perSecond == 0 ? new Even() : new Steady(perSecond);
  }

  /**
   * Returns the number of further clients that may be redirected; called again and again.
   *
   * @param waiting clients that have not been told, at least 1
   * @param passedMs since it was asked before
   * @param leftMs until all of them should have been told
   */
  int clients(int waiting, long passedMs, long leftMs);

  /** In how many milliseconds so many clients will have been told, as far as can be said. */
  long forecastMs(int clients);

  /** Policy that spreads the clients evenly over the time left. Stateless. */
  final class Even implements DrainPacer {
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

  /** Policy of a fixed rate, {@code drain.rate}. Bound to the calling thread. */
  final class Steady implements DrainPacer {
    private static final long SECOND_MS = 1000;

    private final int perSecond;

    /** Thousandths of a client that are left over. */
    private long credit;

    Steady(int perSecond) {
      this.perSecond = perSecond;
    }

    @Override
    public int clients(int waiting, long passedMs, long leftMs) {
      credit += passedMs * perSecond;
      int clients = (int) Math.min(waiting, credit / SECOND_MS);
      credit = Math.min(credit - clients * SECOND_MS, SECOND_MS); // who left unasked saves nothing
      return clients;
    }

    @Override
    public long forecastMs(int clients) {
      return (clients * SECOND_MS + perSecond - 1) / perSecond;
    }
  }
}
