/** Reads what a gateway says of itself, from its Prometheus endpoint. */
package io.sluice.loadtest.gatewaymetrics;
