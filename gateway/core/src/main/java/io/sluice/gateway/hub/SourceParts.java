package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import java.util.List;
import java.util.function.Function;

/**
 * One source of a node. Immutable.
 *
 * @param name name on the wire, in metrics and for operators
 * @param topics patterns of its topics; the last source also has all topics of no other one
 * @param opener factory of the source for a listener; it does not connect yet
 */
public record SourceParts(
    String name, List<String> topics, Function<BrokerListener, Broker> opener) {}
