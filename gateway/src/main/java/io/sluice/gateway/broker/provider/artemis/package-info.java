/** Parts of the Artemis provider that other providers also use for its client. */
package io.sluice.gateway.broker.provider.artemis;
