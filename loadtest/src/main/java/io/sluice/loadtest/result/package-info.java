/**
 * Result of a measurement, its JSON file and the log of latencies it is made of. Entry point is
 * {@code Measurement}; immutable but for {@code LatencyLog}.
 */
package io.sluice.loadtest.result;
