/**
 * Represents the result of a measurement, its JSON file and the latency log. All types are
 * immutable except {@code LatencyLog}, which one client writes. The entry point is {@link
 * io.sluice.loadtest.result.Measurement}.
 */
package io.sluice.loadtest.result;
