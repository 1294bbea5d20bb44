package io.sluice.loadtest.result;

/**
 * Counters of the load generators in the measured seconds. Immutable.
 *
 * @param clients that were subscribed
 * @param frames messages received
 * @param bytes of their payloads and headers
 * @param failed connections that could not be made
 * @param closed connections that the gateway or the network ended
 * @param gaps told by the gateway
 * @param cpuSeconds of the load generators
 */
public record LoadGeneratorResult(
    long clients,
    long frames,
    long bytes,
    long failed,
    long closed,
    long gaps,
    double cpuSeconds) {}
