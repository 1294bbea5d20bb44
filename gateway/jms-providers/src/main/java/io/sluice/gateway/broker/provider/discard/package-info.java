/** Settings and reports of brokers about discarded messages. */
package io.sluice.gateway.broker.provider.discard;
