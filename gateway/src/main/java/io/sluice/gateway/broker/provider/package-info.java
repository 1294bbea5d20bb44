/**
 * Differences between JMS providers: ActiveMQ Artemis, ActiveMQ Classic, and plugged ones. {@link
 * io.sluice.gateway.broker.provider.Provider} is the entry point; each method states its thread.
 */
package io.sluice.gateway.broker.provider;
