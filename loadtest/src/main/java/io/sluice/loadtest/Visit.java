package io.sluice.loadtest;

import java.time.Duration;

/**
 * A client that is to come and go within a run. Immutable.
 *
 * @param at when it comes, since the run's start
 * @param stay how long it stays
 */
record Visit(int number, Duration at, Duration stay) {}
