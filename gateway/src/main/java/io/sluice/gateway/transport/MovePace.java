package io.sluice.gateway.transport;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;

/** How fast a draining node may tell its clients to leave. Asked by one thread. */
public interface MovePace {
  /** The pace of a node that asks no other. */
  static MovePace of(Config config) {
    int perSecond = config.get(TimeoutSettings.DRAIN_RATE);
    return perSecond == 0 ? new EvenPace() : new SteadyPace(perSecond);
  }

  /**
   * How many more clients may be told; asked again and again.
   *
   * @param waiting clients that have not been told, at least 1
   * @param passedMs since it was asked before
   * @param leftMs until all of them should have been told
   */
  int clients(int waiting, long passedMs, long leftMs);

  /** In how many milliseconds so many clients will have been told, as far as can be said. */
  long forecastMs(int clients);
}
