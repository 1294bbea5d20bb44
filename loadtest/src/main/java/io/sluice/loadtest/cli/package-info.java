/** The commands of {@code sluice} that measure. */
package io.sluice.loadtest.cli;
