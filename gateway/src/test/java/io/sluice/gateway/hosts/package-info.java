/**
 * Complete deployment on one machine: broker, nodes, load balancer and clients on separate hosts,
 * which are network namespaces. Hosts stop, crash, freeze and are partitioned, and each client
 * verifies the messages it receives.
 */
package io.sluice.gateway.hosts;
