/**
 * This node as a member of its cluster: join, state, load, rebalancing and leave. Entry point is
 * {@code Member}. Only this package, the root package and {@code admin} import the cluster module.
 */
package io.sluice.gateway.membership;
