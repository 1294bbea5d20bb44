package io.sluice.gateway.hosts;

/**
 * How large a run is. Immutable.
 *
 * @param clients of each of three nodes
 * @param topics among which clients are spread
 * @param intervalMs from one message to the next, of all topics together
 * @param drainS how long a node may take to send its clients away
 * @param pauseS how long a node stands still
 * @param cutS how long hosts don't hear each other once that has shown
 * @param warmS how long a node has clients before it is measured
 * @param measureS how long it is measured
 * @param reportMs how often nodes tell each other their load, at most
 * @param restMs how long nodes leave a client alone that has come
 * @param shedRate clients a minute that nodes ask to move so that they are even
 * @param upgrades how often all nodes are replaced
 */
record Plan(
    int clients,
    int topics,
    long intervalMs,
    int drainS,
    int pauseS,
    int cutS,
    int warmS,
    int measureS,
    int reportMs,
    int restMs,
    int shedRate,
    int upgrades) {
  /** For every build. */
  static Plan small() {
    return new Plan(100, 10, 20, 5, 6, 1, 0, 3, 1_000, 5_000, 12_000, 0);
  }

  /** For figures. */
  static Plan full(int clients) {
    return new Plan(clients, 20, 10, 20, 15, 10, 45, 30, 5_000, 10_000, 6_000, 2);
  }

  /** Whether figures are good enough to be held against limits. */
  boolean isFull() {
    return upgrades > 0;
  }
}
