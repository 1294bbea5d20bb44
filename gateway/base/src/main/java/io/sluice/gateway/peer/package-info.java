/**
 * Exchange of state with nodes at the other end of links. {@link
 * io.sluice.gateway.peer.LinkExchange} is the entry type; each type states its threads.
 */
package io.sluice.gateway.peer;
