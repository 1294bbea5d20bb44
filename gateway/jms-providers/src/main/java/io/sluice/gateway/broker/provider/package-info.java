/**
 * Adapters for JMS providers: ActiveMQ Artemis, ActiveMQ Classic, and others loaded at run time.
 * Each method states the threads that may call it. The entry point is {@link
 * io.sluice.gateway.broker.provider.Provider}.
 */
package io.sluice.gateway.broker.provider;
