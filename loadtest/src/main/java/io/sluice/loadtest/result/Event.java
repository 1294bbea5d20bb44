package io.sluice.loadtest.result;

/**
 * Something that may show in the latencies. Immutable.
 *
 * @param second of the run, with decimals
 * @param kind such as {@code collection}, {@code reconnect} or {@code gap}
 * @param text for people
 */
public record Event(double second, String kind, String text) {}
