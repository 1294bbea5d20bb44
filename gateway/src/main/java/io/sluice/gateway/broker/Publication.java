package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.PayloadKind;
import java.util.Map;

/**
 * A message that a client wants to publish.
 *
 * @param topic a valid topic, no pattern
 * @param kind TEXT (UTF-8) or BYTES
 * @param payload the content
 * @param properties JMS property names to String, Long, Double or Boolean
 */
public record Publication(
    String topic, PayloadKind kind, byte[] payload, Map<String, Object> properties) {}
