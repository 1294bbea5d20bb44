/**
 * Broker as the hub uses it: interests, their listeners and publications, without a JMS type.
 * {@link io.sluice.gateway.broker.Broker} is the entry point; its methods run on the control
 * thread.
 */
package io.sluice.gateway.broker;
