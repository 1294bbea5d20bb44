package io.sluice.gateway.membership;

/**
 * Figures of the cluster for the metrics of one node. Immutable, for any thread.
 *
 * @param joining number of nodes that are not ready, including this one
 * @param up number of nodes that accept clients, likewise
 * @param draining number of draining nodes, likewise
 * @param sent number of messages sent to other nodes; a broadcast counts once
 * @param sentBytes bytes of these messages
 * @param malformed number of messages of other nodes that were malformed
 * @param dropped number of messages of other nodes dropped because the receive queue was full
 * @param refused number of connections rejected by peer authentication
 * @param views number of installed cluster views
 * @param certificateEndsMs earliest expiry in the certificate chain for other nodes, in
 *     milliseconds since 1970; 0 if there is none
 * @param outdated whether the certificate files have changed and are unusable
 * @param warmTopics number of topics that are open for clients of other nodes
 * @param leftOutTopics number of topics in use in the cluster that exceed a limit
 */
public record ClusterFigures(
    int joining,
    int up,
    int draining,
    long sent,
    long sentBytes,
    long malformed,
    long dropped,
    long refused,
    long views,
    long certificateEndsMs,
    boolean outdated,
    int warmTopics,
    int leftOutTopics) {}
