/**
 * Simulation of queues and requests in virtual time: the real sessions, consumers and requests of
 * several nodes at a simulated broker, with clients that follow docs/PROTOCOL.md, section 12.
 */
package io.sluice.gateway.sim.queue;
