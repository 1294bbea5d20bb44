package io.sluice.cluster;

/**
 * Counters of a node's cluster traffic since its start. Immutable, for any thread.
 *
 * @param sent messages sent, each counted once regardless of the number of receivers
 * @param sentBytes their bytes, before encryption and headers
 * @param malformed messages of other nodes that could not be decoded and were dropped
 * @param dropped messages of other nodes that exceeded the queue
 * @param refused connections of peers without a valid certificate or secret
 * @param views changes of the membership
 */
public record ClusterCounts(
    long sent, long sentBytes, long malformed, long dropped, long refused, long views) {
  static final ClusterCounts NONE = new ClusterCounts(0, 0, 0, 0, 0, 0);
}
