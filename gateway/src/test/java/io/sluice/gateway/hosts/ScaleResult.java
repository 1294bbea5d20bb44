package io.sluice.gateway.hosts;

/**
 * What nodes cost with so many of them. Immutable.
 *
 * @param nodes how many
 * @param clients of all of them
 * @param framesPerSecond of all of them
 * @param cpuMicros processor time a frame, of all of them together
 * @param brokerConnections of all of them
 */
record ScaleResult(
    int nodes, int clients, double framesPerSecond, double cpuMicros, long brokerConnections) {}
