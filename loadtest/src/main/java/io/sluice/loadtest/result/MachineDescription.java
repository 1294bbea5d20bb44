package io.sluice.loadtest.result;

/**
 * Machine that a measurement ran on. Immutable.
 *
 * @param system name and release of the operating system
 * @param processor its model; empty if the system does not tell
 * @param cores that the process may use
 * @param memoryBytes of the whole machine
 */
public record MachineDescription(String system, String processor, int cores, long memoryBytes) {}
