package io.sluice.gateway.broker.request;

/**
 * Limits of a node's requests. Immutable, for any thread.
 *
 * @param pending maximum number of pending requests
 * @param waitingBytes maximum bytes of requests that wait for the reply queue
 * @param openTimeoutMs time limit for opening the reply queue
 */
public record RequestLimits(int pending, long waitingBytes, long openTimeoutMs) {}
