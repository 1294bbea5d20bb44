/**
 * Small maps that all nodes of a cluster share: each node owns entries, and the others copy them.
 * Independent of transport, clock and threads. Entry point: {@link
 * io.sluice.cluster.replica.ReplicatedMap}.
 */
package io.sluice.cluster.replica;
