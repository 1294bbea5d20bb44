/**
 * Connections, sessions and consumers at a JMS broker, proofs of delivery, and publishing. State is
 * bound to the control thread; blocking JMS calls run on separate threads, and messages arrive on
 * those of the JMS client. The entry point is {@link io.sluice.gateway.broker.jms.JmsBroker};
 * queues and requests are those of a {@link io.sluice.gateway.broker.jms.QueueSupport}.
 */
package io.sluice.gateway.broker.jms;
