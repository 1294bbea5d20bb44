package io.sluice.loadtest.result;

/**
 * Load that one run puts on the gateway. Immutable.
 *
 * @param clients connected at the same time, the measured ones among them
 * @param measured those that record every message
 * @param topics among which the clients are dealt out
 * @param rate messages a second of each topic
 * @param payloadBytes of each message
 */
public record LoadProfile(int clients, int measured, int topics, double rate, int payloadBytes) {}
