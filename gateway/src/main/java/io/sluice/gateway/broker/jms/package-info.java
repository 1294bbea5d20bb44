/**
 * Connections, sessions and consumers at a JMS broker, proofs of delivery, and publishing. {@link
 * io.sluice.gateway.broker.jms.JmsBroker} is the entry point, bound to the control thread. JMS
 * calls that wait for the broker run on threads of their own, and messages arrive on those of the
 * client.
 */
package io.sluice.gateway.broker.jms;
