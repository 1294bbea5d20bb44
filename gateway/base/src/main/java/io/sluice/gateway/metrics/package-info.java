/**
 * Meters of a node and their registries for Prometheus and JMX. Any thread may count events, but a
 * scrape must not run on an event loop. The entry point is {@link
 * io.sluice.gateway.metrics.GatewayMetrics}.
 */
package io.sluice.gateway.metrics;
