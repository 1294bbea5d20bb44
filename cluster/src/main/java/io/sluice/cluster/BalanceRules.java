package io.sluice.cluster;

/**
 * Tolerance and rate of the load balancing. Immutable, for any thread.
 *
 * @param tolerance accepted excess over the mean number of clients, as a share of the mean
 * @param movesPerMinute clients that all nodes together may redirect per minute; 0 for none
 */
public record BalanceRules(double tolerance, double movesPerMinute) {
  /** Rejects a tolerance that would never be reached. */
  public BalanceRules {
    if (!(tolerance > 0) || !(movesPerMinute >= 0)) {
      throw new IllegalArgumentException("tolerance must be above 0, movesPerMinute 0 or more");
    }
  }
}
