package io.sluice.gateway.transport;

/** So many clients a second, however long that takes. Bound to the thread that asks. */
final class SteadyPace implements MovePace {
  private static final long SECOND_MS = 1000;

  private final int perSecond;

  /** Thousandths of a client that are left over. */
  private long credit;

  SteadyPace(int perSecond) {
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
