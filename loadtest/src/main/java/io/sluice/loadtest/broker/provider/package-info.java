/**
 * Connects to brokers under test, and starts brokers with different journals in child processes.
 * One thread uses a source; connections belong to the caller. The entry points are {@link
 * io.sluice.loadtest.broker.provider.BrokerTarget} and {@link
 * io.sluice.loadtest.broker.provider.BrokerSource}.
 */
package io.sluice.loadtest.broker.provider;
