/**
 * Runs A/B tests: interleaved runs of two systems in random order, each restarted for its run. One
 * thread runs a test. The entry point is {@link io.sluice.loadtest.abtest.AbTest}.
 */
package io.sluice.loadtest.abtest;
