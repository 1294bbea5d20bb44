/**
 * Executes the runs of a simulation with measured clients, checks and a summary, without importing
 * Gatling. The campaign has one thread; Gatling's threads call {@code ActiveRun} and {@code
 * ClientStream}. The entry point is {@link io.sluice.loadtest.Campaign}.
 */
package io.sluice.loadtest;
