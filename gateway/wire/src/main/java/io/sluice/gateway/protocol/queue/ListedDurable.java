package io.sluice.gateway.protocol.queue;

/**
 * Durable subscription of a principal, as listed for a client. Immutable, for any thread.
 *
 * @param where JMS selector, or null
 * @param messages number of messages at the broker; negative if unknown
 * @param consumers number of consumers at all nodes; negative if unknown
 */
public record ListedDurable(
    String topic, String name, String where, long messages, long consumers) {}
