package io.sluice.loadtest.result;

/**
 * What was asked of the gateway in one run. Immutable.
 *
 * @param clients connected at the same time, the measured ones among them
 * @param measured those that record every message
 * @param topics among which the clients are dealt out
 * @param rate messages a second of each topic
 * @param payloadBytes of each message
 */
public record Load(int clients, int measured, int topics, double rate, int payloadBytes) {}
