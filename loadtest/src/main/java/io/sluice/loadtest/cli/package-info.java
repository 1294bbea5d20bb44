/**
 * Implements the measurement commands of {@code sluice}. The main thread uses it. The entry point
 * is {@link io.sluice.loadtest.cli.LoadTestCli}.
 */
package io.sluice.loadtest.cli;
