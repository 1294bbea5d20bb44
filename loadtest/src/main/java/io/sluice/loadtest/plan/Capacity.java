package io.sluice.loadtest.plan;

/**
 * What one node carried. Immutable.
 *
 * @param clients with which the objective held
 * @param basis how it held
 * @param breaksAt clients with which it broke; NaN if it broke with none, so that {@code clients}
 *     is a lower bound
 * @param breaking how it broke
 */
record Capacity(Ladder ladder, double clients, String basis, double breaksAt, String breaking) {

  /** Frames a second that the node sent. */
  double frames() {
    return clients * ladder.workload().rate();
  }

  double breaksAtFrames() {
    return breaksAt * ladder.workload().rate();
  }
}
