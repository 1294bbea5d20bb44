package io.sluice.gateway.broker.queue;

/**
 * Limits of the consumers of queues. Immutable, for any thread.
 *
 * @param ackTimeoutMs time after which an unsettled message is released
 * @param callTimeoutMs time limit for one request to the broker
 * @param deadLetter queue of rejected messages; empty: the provider's default
 * @param pendingBytes bytes of unsettled messages beyond which a consumer receives no further ones
 */
public record QueueOptions(
    long ackTimeoutMs, long callTimeoutMs, String deadLetter, long pendingBytes) {}
