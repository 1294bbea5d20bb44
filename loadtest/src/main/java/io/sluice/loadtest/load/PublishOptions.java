package io.sluice.loadtest.load;

/**
 * Options of messages that the load generator publishes through the server. Immutable, for any
 * thread.
 *
 * @param rate messages per second and topic
 * @param bytes size of a payload
 */
public record PublishOptions(double rate, int bytes) {}
