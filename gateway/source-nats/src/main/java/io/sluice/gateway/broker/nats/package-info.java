/**
 * Connection to NATS: interests in streams of JetStream and in core subjects, read-back, and
 * publishing. State is bound to the control thread; requests to the server run on separate threads,
 * and messages arrive on those of the NATS client. The entry point is {@link
 * io.sluice.gateway.broker.nats.NatsSource}. Without this module a node cannot use NATS, and
 * nothing else changes.
 */
package io.sluice.gateway.broker.nats;
