package io.sluice.loadtest.result;

/**
 * What the clients that make the load have seen in the seconds that count. Immutable.
 *
 * @param clients that were subscribed
 * @param frames messages received
 * @param bytes of their payloads and headers
 * @param failed connections that could not be made
 * @param closed connections that the gateway or the network ended
 * @param gaps told by the gateway
 * @param cpuSeconds that the crowd itself took
 */
public record CrowdResult(
    long clients,
    long frames,
    long bytes,
    long failed,
    long closed,
    long gaps,
    double cpuSeconds) {}
