/**
 * Describes the workloads of the broker benchmark: destinations, producers, consumers, messages and
 * durations. All types are immutable. The entry points are {@link
 * io.sluice.loadtest.broker.workload.BrokerWorkload} and {@link
 * io.sluice.loadtest.broker.workload.Preset}.
 */
package io.sluice.loadtest.broker.workload;
