package io.sluice.loadtest.result;

/**
 * How another machine's clock stands to the load test's. Immutable.
 *
 * @param offsetMicros to add to our time to get the other's
 * @param uncertaintyMicros the offset is true to within this
 */
public record ClockOffset(double offsetMicros, double uncertaintyMicros) {}
