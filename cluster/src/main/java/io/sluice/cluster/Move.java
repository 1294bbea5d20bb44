package io.sluice.cluster;

/**
 * Redirect of one client to another node. Immutable, for any thread.
 *
 * @param to target node
 * @param afterMs delay of the redirect, random to spread the redirects
 */
public record Move(Node to, long afterMs) {}
