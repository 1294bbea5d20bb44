/**
 * Writes HTML pages with charts, which load no resources. Not thread-safe. The entry point is
 * {@link io.sluice.loadtest.chart.ChartPage}.
 */
package io.sluice.loadtest.chart;
