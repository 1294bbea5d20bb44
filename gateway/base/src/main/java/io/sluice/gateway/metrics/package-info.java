/**
 * Meters of a node and their registries for Prometheus and JMX, without imports of other packages
 * of the gateway. Any thread may count events, but a scrape must not run on an event loop. The
 * entry point is {@link io.sluice.gateway.metrics.GatewayMetrics}.
 */
package io.sluice.gateway.metrics;
