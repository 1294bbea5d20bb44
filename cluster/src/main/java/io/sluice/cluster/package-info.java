/**
 * Cluster membership, load reports, shared topics and load balancing of clients. Any thread may use
 * it, and its state is bound to one thread of the cluster. Entry point: {@link
 * io.sluice.cluster.Cluster}. It depends neither on JMS nor on WebSockets, and transports none of
 * their messages.
 */
package io.sluice.cluster;
