/** Estimates with confidence intervals, fits and tests. Stateless or immutable. */
package io.sluice.loadtest.statistics;
