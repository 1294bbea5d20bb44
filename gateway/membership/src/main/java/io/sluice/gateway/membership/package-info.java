/**
 * Membership of this node in its cluster: join, state, load, rebalancing, redirects and leave. Slow
 * tasks run on the threads of the member, and no caller waits for other nodes. Entry point: {@link
 * Member}. Only this package and the root package import the cluster module.
 */
package io.sluice.gateway.membership;
