package io.sluice.cluster;

/**
 * One client that should go to another node. Immutable, for any thread.
 *
 * @param to which of them
 * @param afterMs when to tell it, so that not all go at once
 */
public record Move(Node to, long afterMs) {}
