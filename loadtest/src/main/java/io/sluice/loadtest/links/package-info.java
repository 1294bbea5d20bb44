/**
 * Measures nodes that are the source of other nodes: publishers, a broker, nodes with links, and
 * subscribers, each in processes of this machine. One thread runs a benchmark. The entry point is
 * {@link io.sluice.loadtest.links.LinkBench}.
 */
package io.sluice.loadtest.links;
