package io.sluice.cluster;

/**
 * What a node has counted of its cluster since its start. Immutable, for any thread.
 *
 * @param told messages of ours that were sent, each once however many nodes it went to
 * @param toldBytes their bytes, before encryption and headers
 * @param malformed messages of nodes that were not understood and dropped
 * @param dropped messages of nodes that came faster than they were read
 * @param refused connections of nodes that showed no right certificate or secret
 * @param views changes of the membership
 */
public record ClusterCounts(
    long told, long toldBytes, long malformed, long dropped, long refused, long views) {
  static final ClusterCounts NONE = new ClusterCounts(0, 0, 0, 0, 0, 0);
}
