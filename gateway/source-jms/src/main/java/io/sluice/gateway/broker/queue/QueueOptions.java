package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.provider.SubscriptionLimits;

/**
 * Limits of the consumers of queues. Immutable, for any thread.
 *
 * @param ackTimeoutMs time after which an unsettled message is released
 * @param callTimeoutMs time limit for one request to the broker
 * @param deadLetter queue of rejected messages; empty: the provider's default
 * @param pendingBytes bytes of unsettled messages beyond which a consumer receives no further ones
 * @param subscriptions limits of clients' durable subscriptions
 */
public record QueueOptions(
    long ackTimeoutMs,
    long callTimeoutMs,
    String deadLetter,
    long pendingBytes,
    SubscriptionLimits subscriptions) {}
