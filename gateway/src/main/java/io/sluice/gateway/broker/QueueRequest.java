package io.sluice.gateway.broker;

/**
 * Request of a client to consume or browse a queue. Immutable, for any thread.
 *
 * @param queue a valid name, no pattern
 * @param where JMS selector, or null
 * @param credit maximum number of pending messages, from 0
 */
public record QueueRequest(String queue, String where, int credit) {}
