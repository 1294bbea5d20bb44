/**
 * Connections between nodes: TLS with the certificates of the operator or keys derived from a
 * shared secret, and the addresses that do not respond. {@link io.sluice.cluster.peer.PeerTls} is
 * the entry point; its sockets are used by the threads of JGroups.
 */
package io.sluice.cluster.peer;
