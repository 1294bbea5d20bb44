/**
 * Workloads of the broker benchmark: destinations, producers, consumers, messages and durations.
 * All types are immutable. Entry points are {@code BrokerWorkload} and {@code Preset}.
 */
package io.sluice.loadtest.broker.workload;
