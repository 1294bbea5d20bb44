/** Connections to ActiveMQ Classic on which a transaction may be blocked without the others. */
package io.sluice.gateway.broker.provider.classic;
