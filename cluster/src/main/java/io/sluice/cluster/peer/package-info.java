/**
 * Connections between nodes: TLS with the operator's certificates or keys derived from a shared
 * secret, and the addresses that do not respond. The sockets are used by the threads of JGroups.
 * Entry point: {@link io.sluice.cluster.peer.PeerTls}.
 */
package io.sluice.cluster.peer;
