/**
 * Runs many WebSocket clients in one process, each at the cost of a socket and some hundred bytes.
 * Clients, links and their {@code ClientLoop} are bound to one event loop; a control thread starts
 * rounds and writes the statistics. The entry point is {@link
 * io.sluice.loadtest.load.LoadGenerator} or, for a child process, {@link
 * io.sluice.loadtest.load.LoadGeneratorProcess}.
 */
package io.sluice.loadtest.load;
