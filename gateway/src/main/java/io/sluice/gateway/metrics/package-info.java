/**
 * Meters of a node and their registries: Prometheus text and JMX. Entry point is {@code
 * Exposition}. Recorders are called by event loops; a scrape runs on a worker. Imports no other
 * package of the gateway.
 */
package io.sluice.gateway.metrics;
