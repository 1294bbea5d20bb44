package io.sluice.loadtest.plan;

/**
 * Load and objective that a plan has to meet. Immutable.
 *
 * @param clients in all
 * @param workload of each of them
 * @param p99Millis what the 99th percentile of the latency since sent has to stay below
 * @param headroom the part of a node's capacity that is to stay free, from 0 to below 1
 * @param spareNodes how many may fail without anybody noticing
 */
public record CapacityTarget(
    long clients, ClientWorkload workload, double p99Millis, double headroom, int spareNodes) {

  /** Nodes for all clients where a node holds at most so many, without the spare ones. */
  long nodes(double capacity) {
    // Rounding errors make no node.
    return Math.max(1, (long) Math.ceil(clients / (capacity * (1 - headroom)) - 1e-9));
  }
}
