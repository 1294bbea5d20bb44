/**
 * Who the nodes of a cluster are, how loaded they are, and where clients should be. Knows neither
 * JMS nor WebSockets, and carries no message of theirs.
 */
package io.sluice.cluster;
