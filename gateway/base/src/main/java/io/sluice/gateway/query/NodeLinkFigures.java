package io.sluice.gateway.query;

/**
 * Link to another node. Immutable, for any thread.
 *
 * @param peer name of the other node
 * @param isRoot whether the other node is the root of the link
 * @param isMulticast whether the leaf receives messages by multicast
 * @param topics number of topics and patterns that this node serves over the link
 * @param behind number of their messages that were not sent
 * @param roundTripMs latest time of a ping to the other node and back; -1 before the first
 */
public record NodeLinkFigures(
    String peer, boolean isRoot, boolean isMulticast, int topics, long behind, long roundTripMs) {}
