package io.sluice.gateway.hosts;

/**
 * How large a run is. Immutable.
 *
 * @param clients of each of three nodes
 * @param topics among which clients are spread
 * @param intervalMs from one message to the next, of all topics together
 * @param drainRate clients a second that nodes that stop tell to leave
 * @param drainS how long a node may take to send its clients away
 * @param pauseS how long a node stands still
 * @param cutS how long hosts don't hear each other once that has shown
 * @param patienceS how long a node waits for its own messages to come back from the broker
 * @param quietS how long it is counted what nodes say to each other where nothing happens
 * @param reportMs how often nodes tell each other their load, at most
 * @param restMs how long nodes leave a client alone that has come
 * @param shedRate clients a minute that nodes ask to move so that they are even
 * @param upgrades how often all nodes are replaced
 * @param isFull whether it takes the minutes for every step
 */
record Plan(
    int clients,
    int topics,
    long intervalMs,
    int drainRate,
    int drainS,
    int pauseS,
    int cutS,
    int patienceS,
    int quietS,
    int reportMs,
    int restMs,
    int shedRate,
    int upgrades,
    boolean isFull) {
  /** Over which it is counted how many clients leave. */
  static final int PACE_S = 2;

  /** What a node may catch up on that was held up; the machine holds up clients, too. */
  private static final int LATE_S = 1;

  /** Of each node: unused moves of that long may be caught up on. */
  private static final int SHED_LATE_S = 10;

  private static final int MINUTE_S = 60;

  /** For every build. */
  static Plan small() {
    return new Plan(100, 10, 20, 25, 30, 6, 1, 2, 5, 1_000, 5_000, 12_000, 1, false);
  }

  /** For figures. */
  static Plan full(int clients) {
    return new Plan(clients, 20, 10, 200, 30, 15, 10, 2, 30, 5_000, 10_000, 6_000, 2, true);
  }

  /** For what a frame costs: clients stay where they are, and nodes may be late. */
  static Plan still(int clients) {
    return new Plan(clients, 20, 10, 0, 30, 0, 0, 60, 0, 5_000, 10_000, 0, 0, true);
  }

  /** How many clients that were told to leave may connect elsewhere within {@link #PACE_S}. */
  int mostLeaving() {
    return drainRate * (PACE_S + LATE_S);
  }

  /** How many clients nodes may ask to move so that they are even, all together. */
  int mostShed(double seconds) {
    return (int) Math.ceil(shedRate * (seconds + Site.NODES * SHED_LATE_S) / MINUTE_S);
  }
}
