/**
 * Benchmark of a JMS broker: throughput, latency, cost of persistence, lost and repeated messages.
 * Entry point is {@code BrokerBench}. One thread runs the trials; producers and consumers have
 * threads of their own and share counters only.
 */
package io.sluice.loadtest.broker;
