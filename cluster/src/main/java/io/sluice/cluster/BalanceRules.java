package io.sluice.cluster;

/**
 * How even the nodes should be, and what may be done for it. Immutable, for any thread.
 *
 * @param tolerance how far a node may be above the mean, in parts of it
 * @param movesPerMinute clients that all nodes together may send elsewhere to become even, 0 for
 *     none
 */
public record BalanceRules(double tolerance, double movesPerMinute) {
  /** Refuses what would never come to rest. */
  public BalanceRules {
    if (!(tolerance > 0) || !(movesPerMinute >= 0)) {
      throw new IllegalArgumentException("tolerance must be above 0, movesPerMinute 0 or more");
    }
  }
}
