/**
 * Hub: the node's upstream subscriptions (interests), their sequencers and channel numbers, and the
 * evidence for proofs of delivery. The control thread owns the table of interests and is the only
 * caller of the broker. The sequencers append each message to its log, encode it and offer it to
 * the shards. Entry point: {@link io.sluice.gateway.hub.Hub}.
 */
package io.sluice.gateway.hub;
