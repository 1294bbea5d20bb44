/**
 * Load generator: many WebSocket clients in one process, each at the cost of a socket and some
 * hundred bytes. Entry points are {@code LoadGenerator} and, for a child process, {@code
 * LoadGeneratorProcess}. Clients, links and their {@code ClientLoop} are bound to one event loop; a
 * control thread starts rounds and writes the statistics.
 */
package io.sluice.loadtest.load;
