package io.sluice.gateway.session;

import io.sluice.gateway.auth.Peer;

/**
 * What an operator is told of a session. Immutable, for any thread.
 *
 * @param number its place in the order in which the node's sessions began
 * @param sinceMs when that was, Unix milliseconds
 */
public record SessionSummary(long number, Peer peer, long sinceMs, int subscriptions) {}
