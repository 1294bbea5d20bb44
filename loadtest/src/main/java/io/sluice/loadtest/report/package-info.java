/**
 * Reports of measurements in HTML and Markdown, and the comparison of two measurements. Entry
 * points are {@code Reports} and {@code Comparison}. Stateless or immutable, except the writers of
 * one page.
 */
package io.sluice.loadtest.report;
