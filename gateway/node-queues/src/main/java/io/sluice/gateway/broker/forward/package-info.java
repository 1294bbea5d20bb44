/**
 * Queues and requests over links: the root executes at its broker what the clients of its leaves
 * request. Without this package, links have topics only.
 */
package io.sluice.gateway.broker.forward;
