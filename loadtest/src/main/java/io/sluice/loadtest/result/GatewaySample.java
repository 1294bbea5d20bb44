package io.sluice.loadtest.result;

/**
 * What the gateway said of itself at one moment. Counters run since its start. Immutable.
 *
 * @param second of the run, with decimals; negative before it
 * @param cpuSeconds user and system time of its process
 * @param heapBytes in use
 * @param memoryBytes of its process that are in memory; 0 if it does not tell
 * @param clients connected
 * @param framesOut frames sent to clients
 * @param bytesOut bytes sent to clients
 * @param messagesIn messages from the broker
 * @param collections of garbage
 * @param collectionSeconds of pauses for them
 */
public record GatewaySample(
    double second,
    double cpuSeconds,
    long heapBytes,
    long memoryBytes,
    long clients,
    long framesOut,
    long bytesOut,
    long messagesIn,
    long collections,
    double collectionSeconds) {}
