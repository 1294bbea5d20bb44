/**
 * Shards: the part of the hub that one event loop owns. A shard takes encoded messages and events
 * from its queue, fans them out to the subscriptions of its clients, and serves those that catch
 * up, conflate or are rate-limited at their own pace.
 *
 * <p>Bound to the event loop, except for the {@code offer} methods, which any thread may call.
 * Entry point: {@link io.sluice.gateway.shard.HubShard}.
 */
package io.sluice.gateway.shard;
