package io.sluice.loadtest;

import java.time.Duration;

/**
 * Client scheduled to connect and disconnect within a run. Immutable, for any thread.
 *
 * @param at time of its arrival since the run's start
 * @param stay duration of its connection
 */
record TransientClient(int number, Duration at, Duration stay) {}
