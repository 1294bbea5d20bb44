/**
 * Quotas and rate limits. {@link io.sluice.gateway.limits.TokenBucket} bounds a rate. {@link
 * io.sluice.gateway.limits.Quota} counts what a group of clients (an address, a principal, a topic,
 * the node) uses together. {@code QuotaRegistry} finds the quota of a name. {@code ExclusiveTopics}
 * counts the topics that one group alone uses.
 *
 * <p>Entry point: {@link io.sluice.gateway.limits.Quotas#acquire} returns the {@link
 * io.sluice.gateway.limits.Lease} of a connection, which charges all quotas or none. A lease is
 * bound to its event loop; all other types are for any thread. No type waits for I/O; changes of
 * one topic's users exclude each other.
 */
package io.sluice.gateway.limits;
