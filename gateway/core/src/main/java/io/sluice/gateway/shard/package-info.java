/**
 * Shards: a shard fans out messages and events from its queue to the subscriptions of one event
 * loop's clients, and paces those that catch up, conflate or are rate-limited. Bound to the event
 * loop, except for the {@code offer} methods, which any thread may call. Entry point: {@link
 * io.sluice.gateway.shard.HubShard}.
 */
package io.sluice.gateway.shard;
