/**
 * Interface between the hub and the broker: interests, their listeners and publications, without a
 * JMS type. Interests are bound to the control thread; publishing and consuming queues are allowed
 * on any thread. The entry point is {@link io.sluice.gateway.broker.Broker}.
 */
package io.sluice.gateway.broker;
