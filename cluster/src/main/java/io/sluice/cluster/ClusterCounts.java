package io.sluice.cluster;

/**
 * Counters of a node's cluster traffic since its start. Immutable, for any thread.
 *
 * @param sent messages sent, each counted once regardless of the number of receivers
 * @param sentBytes their bytes, before encryption and headers
 * @param malformed messages of other nodes dropped because they were malformed
 * @param dropped messages of other nodes dropped because the receive queue was full
 * @param refused connections rejected by peer authentication, in either direction
 * @param views installed cluster views
 */
public record ClusterCounts(
    long sent, long sentBytes, long malformed, long dropped, long refused, long views) {
  static final ClusterCounts NONE = new ClusterCounts(0, 0, 0, 0, 0, 0);
}
