package io.sluice.gateway.metrics;

/**
 * What a node has counted of its cluster. Immutable, for any thread.
 *
 * @param joining nodes that are not ready yet, this one among them
 * @param up nodes that serve, likewise
 * @param draining nodes whose clients are leaving, likewise
 * @param told messages that were sent to other nodes; one to all of them counts once
 * @param toldBytes their bytes
 * @param malformed messages of other nodes that were not understood
 * @param dropped messages of other nodes that came too fast
 * @param refused connections of strangers
 * @param views changes of the membership
 * @param certificateEndsMs when the first certificate that it shows to others ends, Unix
 *     milliseconds; 0 if it has none
 * @param outdated whether its files have changed to what cannot be used
 * @param warmTopics topics that it keeps open for clients of other nodes
 * @param leftOutTopics topics in use in the cluster that are beyond a limit
 */
public record ClusterFigures(
    int joining,
    int up,
    int draining,
    long told,
    long toldBytes,
    long malformed,
    long dropped,
    long refused,
    long views,
    long certificateEndsMs,
    boolean outdated,
    int warmTopics,
    int leftOutTopics) {
  static final ClusterFigures NONE = new ClusterFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0, 0);
}
