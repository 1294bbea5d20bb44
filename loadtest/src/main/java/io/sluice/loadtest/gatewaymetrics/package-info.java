/** Scrapes the Prometheus endpoint of a gateway. Entry point is {@code GatewaySampler}. */
package io.sluice.loadtest.gatewaymetrics;
