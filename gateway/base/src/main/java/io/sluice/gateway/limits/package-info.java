/**
 * Quotas and rate limits of addresses, principals, topics and the node. A {@link
 * io.sluice.gateway.limits.Lease} is bound to its event loop; all other types are for any thread
 * and none blocks on I/O. Entry point: {@link io.sluice.gateway.limits.Quotas#acquire}, which
 * returns the lease of a connection.
 */
package io.sluice.gateway.limits;
