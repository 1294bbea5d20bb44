/**
 * Quotas and rate limits: {@link io.sluice.gateway.limits.TokenBucket} bounds a rate, {@link
 * io.sluice.gateway.limits.Quota} what a group of sessions (an address, a principal, a topic, the
 * node) uses together, {@link io.sluice.gateway.limits.QuotaRegistry} finds the quota of a name.
 * All types are for any thread and none blocks. Entry point: {@code QuotaRegistry}.
 */
package io.sluice.gateway.limits;
