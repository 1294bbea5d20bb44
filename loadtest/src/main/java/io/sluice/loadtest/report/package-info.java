/** What people read of a measurement: pages, tables, charts, and the comparison of two. */
package io.sluice.loadtest.report;
