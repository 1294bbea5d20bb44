package io.sluice.gateway.broker.provider.discard;

/**
 * Setting of the broker that may discard messages of the node. Immutable, for any thread.
 *
 * @param address topic, pattern or queue in the broker's syntax
 * @param setting name as in the broker's configuration
 * @param value its value
 * @param effect consequence for clients
 */
public record DiscardRisk(String address, String setting, String value, String effect) {}
