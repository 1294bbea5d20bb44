package io.sluice.loadtest.model;

/**
 * Reconnect storm after the loss of nodes. Immutable, for any thread.
 *
 * @param event the loss
 * @param clients number of clients that reconnect
 * @param nodes number of remaining nodes
 * @param clientsPerNode clients of a remaining node afterwards
 * @param rate handshakes per second of each remaining node
 * @param seconds time until all clients are connected again
 * @param caughtUp time until they have all messages that they missed
 * @param cores mean CPU of a remaining node until then, without the time until the loss is detected
 * @param coresAfter upper limit of its CPU afterwards
 * @param capacity clients that a node has capacity for
 */
record Storm(
    String event,
    double clients,
    double nodes,
    double clientsPerNode,
    double rate,
    double seconds,
    double caughtUp,
    double cores,
    double coresAfter,
    double capacity) {
  /** Part of a node's cores that is used during a storm, at most. */
  private static final double BUSY = 0.95;

  /**
   * Returns the storm after the loss of some nodes of a cluster. A node accepts fewer handshakes if
   * its CPU does not suffice.
   *
   * @param lost number of lost nodes
   * @param delay seconds until clients detect the loss
   */
  static Storm of(
      String event,
      NodeDemand demand,
      double capacity,
      double clients,
      double all,
      double lost,
      double delay) {
    PlanInputs inputs = demand.inputs();
    double nodes = all - lost;
    double gone = clients * lost / all;
    double perNode = gone / nodes;
    double after = clients / nodes;
    double steady = demand.cores(after, 0).estimate();
    double free = inputs.get(PlanInput.CORES) * BUSY - steady;
    double handshake = inputs.get(PlanInput.HANDSHAKE_MICROS) / 1e6;
    double rate = Math.min(inputs.get(PlanInput.HANDSHAKES), Math.max(0, free / handshake));
    double reconnect = Math.max(inputs.get(PlanInput.BACKOFF), perNode / rate);
    double missed = perNode * inputs.get(PlanInput.RATE) * (delay + reconnect / 2);
    double work = perNode * handshake + demand.cores(after, missed).estimate() - steady;
    double catchUp = Math.max(reconnect, free <= 0 ? Double.POSITIVE_INFINITY : work / free);
    return new Storm(
        event,
        gone,
        nodes,
        after,
        rate,
        delay + reconnect,
        delay + catchUp,
        steady + work / catchUp,
        demand.cores(after, 0).high(),
        capacity);
  }

  /** Returns whether the remaining nodes have the capacity for all clients and their handshakes. */
  boolean isSurvived() {
    return rate > 0 && Math.floor(clientsPerNode) <= capacity;
  }
}
