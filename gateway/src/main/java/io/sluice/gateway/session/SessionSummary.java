package io.sluice.gateway.session;

import io.sluice.gateway.auth.Peer;

/**
 * Summary of a session for operators. Immutable, for any thread.
 *
 * @param number sequence number of the session on this node
 * @param sinceMs start of the session, Unix milliseconds
 * @param consumers number of consumers of queues
 */
public record SessionSummary(
    long number, Peer peer, long sinceMs, int subscriptions, int consumers) {}
