package io.sluice.gateway.broker;

/**
 * Durable or shared subscription of a topic that one principal owns. Immutable, for any thread.
 *
 * @param principal id of the owner
 * @param topic a valid topic or pattern
 * @param name valid name, unique for principal and topic
 * @param durable whether the broker retains messages while there is no consumer
 */
public record TopicSubscription(String principal, String topic, String name, boolean durable) {}
