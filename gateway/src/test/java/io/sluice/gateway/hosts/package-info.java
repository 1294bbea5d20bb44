/**
 * A whole deployment on one machine: broker, nodes and load balancer on hosts of their own, which
 * are network namespaces, and clients that come through the balancer. Hosts stop, die, freeze and
 * lose each other, and each client counts what it gets.
 */
package io.sluice.gateway.hosts;
