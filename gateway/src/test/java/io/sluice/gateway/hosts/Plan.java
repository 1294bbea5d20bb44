package io.sluice.gateway.hosts;

/**
 * Size of a run. Immutable.
 *
 * @param clients number of clients of each of three nodes
 * @param topics number of topics of the clients
 * @param intervalMs interval between two messages, of all topics together
 * @param drainRate clients per second that draining nodes notify
 * @param drainS maximum time in which a node drains
 * @param pauseS time for which a node is stopped
 * @param cutS time for which hosts are partitioned after they have noticed it
 * @param canaryTimeoutS time after which a node without its canaries considers the broker lost
 * @param quietS duration of the measurement of idle traffic between nodes
 * @param reportMs minimum interval between two load reports of a node
 * @param restMs time after its connect during which a client is not redirected
 * @param rebalanceRate clients per minute that nodes redirect to balance the cluster
 * @param upgrades number of rolling upgrades
 * @param isFull whether all steps run, which takes minutes
 */
record Plan(
    int clients,
    int topics,
    long intervalMs,
    int drainRate,
    int drainS,
    int pauseS,
    int cutS,
    int canaryTimeoutS,
    int quietS,
    int reportMs,
    int restMs,
    int rebalanceRate,
    int upgrades,
    boolean isFull) {
  /** Window for counting clients that leave. */
  static final int PACE_S = 2;

  /**
   * Additional seconds of clients that a delayed node may notify later; the machine also delays
   * clients.
   */
  private static final int DELAY_S = 1;

  /** Additional seconds of redirects that each node may catch up on. */
  private static final int REBALANCE_DELAY_S = 10;

  private static final int MINUTE_S = 60;

  /** Returns the plan of every build. */
  static Plan small() {
    return new Plan(100, 10, 20, 25, 30, 6, 1, 2, 5, 1_000, 5_000, 12_000, 1, false);
  }

  /** Returns the plan for published figures. */
  static Plan full(int clients) {
    return new Plan(clients, 20, 10, 200, 30, 15, 10, 2, 30, 5_000, 10_000, 6_000, 2, true);
  }

  /** Returns the plan for the cost of a frame: clients do not move, and nodes may be late. */
  static Plan still(int clients) {
    return new Plan(clients, 20, 10, 0, 30, 0, 0, 60, 0, 5_000, 10_000, 0, 0, true);
  }

  /**
   * Returns the maximum number of drained clients that may connect elsewhere within {@link
   * #PACE_S}.
   */
  int maxLeaving() {
    return drainRate * (PACE_S + DELAY_S);
  }

  /**
   * Returns the maximum number of clients that all nodes together may redirect to balance the
   * cluster.
   */
  int maxRebalanced(double seconds) {
    return (int) Math.ceil(rebalanceRate * (seconds + Site.NODES * REBALANCE_DELAY_S) / MINUTE_S);
  }
}
