/**
 * Brokers under test: JMS clients, and brokers with different journals in child processes. Entry
 * points are {@code BrokerTarget} and {@code BrokerSource}; connections belong to the caller.
 */
package io.sluice.loadtest.broker.provider;
