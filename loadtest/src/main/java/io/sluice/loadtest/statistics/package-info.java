/**
 * Computes estimates with confidence intervals, regressions and significance tests. All types are
 * stateless or immutable. The entry point is {@link io.sluice.loadtest.statistics.Intervals}.
 */
package io.sluice.loadtest.statistics;
