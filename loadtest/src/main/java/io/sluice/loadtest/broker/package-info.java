/**
 * Measures a JMS broker: throughput, latency, cost of persistence, lost and duplicate messages. One
 * thread runs the trials; producers and consumers have separate threads and share only counters.
 * The entry point is {@link io.sluice.loadtest.broker.BrokerBench}.
 */
package io.sluice.loadtest.broker;
