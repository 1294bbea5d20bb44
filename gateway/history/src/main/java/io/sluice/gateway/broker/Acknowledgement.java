package io.sluice.gateway.broker;

/**
 * Acknowledgement of a pending message in a transaction. Immutable, for any thread.
 *
 * @param tag number of the delivery
 * @param upTo whether all pending messages up to this one are acknowledged, too
 */
public record Acknowledgement(long tag, boolean upTo) {}
