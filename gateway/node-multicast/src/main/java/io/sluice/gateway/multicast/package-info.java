/**
 * One-to-many transport of entries between nodes: a root sends each entry once to all of its leaves
 * by reliable multicast. The link of each leaf remains its control channel, and the way of
 * everything that does not arrive. Without this module, roots send all entries over links.
 */
package io.sluice.gateway.multicast;
