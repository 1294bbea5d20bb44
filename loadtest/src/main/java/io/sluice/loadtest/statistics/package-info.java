/** Estimates with their confidence intervals. */
package io.sluice.loadtest.statistics;
