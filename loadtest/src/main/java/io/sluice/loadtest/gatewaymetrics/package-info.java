/**
 * Scrapes the Prometheus endpoint of a gateway. One thread per sampler scrapes it. The entry point
 * is {@link io.sluice.loadtest.gatewaymetrics.GatewaySampler}.
 */
package io.sluice.loadtest.gatewaymetrics;
