package io.sluice.loadtest.result;

/**
 * What all measured clients together received in one second of a run; latencies since the messages
 * were sent, in microseconds. Immutable.
 *
 * @param second of the run, from 0
 */
public record Second(int second, long messages, double mean, long p50, long p99, long max) {}
