/**
 * Commands of {@code sluice} that measure. Entry point is {@code LoadTest}; used by the main
 * thread.
 */
package io.sluice.loadtest.cli;
