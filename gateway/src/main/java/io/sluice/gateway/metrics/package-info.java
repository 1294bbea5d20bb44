/**
 * What a node counts and measures, and how it is read: Prometheus text and JMX. Imports no other
 * package of the gateway.
 */
package io.sluice.gateway.metrics;
