/**
 * Writes reports of measurements in HTML and Markdown, and compares two measurements. Types are
 * stateless or immutable, except the writers of one page, which one thread uses. The entry points
 * are {@link io.sluice.loadtest.report.Reports} and {@link io.sluice.loadtest.report.Comparison}.
 */
package io.sluice.loadtest.report;
