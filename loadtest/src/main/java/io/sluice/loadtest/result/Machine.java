package io.sluice.loadtest.result;

/**
 * Where something ran. Immutable.
 *
 * @param system name and release of the operating system
 * @param processor its model; empty if the system does not tell
 * @param cores that the process may use
 * @param memoryBytes of the whole machine
 */
public record Machine(String system, String processor, int cores, long memoryBytes) {}
