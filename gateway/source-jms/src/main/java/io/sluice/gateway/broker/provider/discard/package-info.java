/**
 * Settings and reports of brokers that discard messages: which of them apply to the node's topics.
 */
package io.sluice.gateway.broker.provider.discard;
