package io.sluice.gateway;

import io.sluice.gateway.broker.BrokerMetrics;
import io.sluice.gateway.metrics.GatewayMetrics;

/** Hands what the broker package counts to the node's metrics. For any thread. */
record BrokerMeters(GatewayMetrics metrics) implements BrokerMetrics {}
