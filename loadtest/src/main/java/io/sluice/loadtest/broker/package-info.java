/**
 * Measures a JMS broker: what a durable message costs, what of it is the disk, and what is lost or
 * repeated.
 */
package io.sluice.loadtest.broker;
