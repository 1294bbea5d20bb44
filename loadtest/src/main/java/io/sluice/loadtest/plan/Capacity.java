package io.sluice.loadtest.plan;

/**
 * Measured capacity of one node. Immutable, for any thread.
 *
 * @param clients largest number of clients up to which every step met the objective
 * @param basis figures with which it was met
 * @param limitClients clients with which it was violated; NaN if it was never violated, and {@code
 *     clients} is a lower bound
 * @param violation figures with which it was violated
 */
record Capacity(
    StepSeries series, double clients, String basis, double limitClients, String violation) {

  /** Returns the frames per second that the node sent. */
  double frames() {
    return clients * series.workload().rate();
  }

  double limitFrames() {
    return limitClients * series.workload().rate();
  }
}
