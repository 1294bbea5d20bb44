package io.sluice.gateway.broker;

/**
 * Setting or state of the broker by which messages of the node may be missing. Immutable, for any
 * thread.
 *
 * @param address topic, pattern or queue in the broker's syntax
 * @param setting name as in the broker's configuration
 * @param value its value
 * @param effect consequence for clients
 */
public record DiscardRisk(String address, String setting, String value, String effect) {}
