package io.sluice.gateway.protocol.queue;

import io.sluice.gateway.protocol.PayloadKind;

/**
 * Reply to a request. Immutable, for any thread: the arrays are never modified.
 *
 * @param identity 64-bit hash of the broker's message id
 * @param timeMs time at which the broker accepted the reply, or the responder sent it if the
 *     broker's time is unknown; milliseconds since 1970
 * @param kind type of {@code payload}
 * @param payload the content
 * @param properties the allowlisted properties as one JSON object in UTF-8, or null if there are
 *     none
 * @param messageType JMSType, or null
 */
public record Reply(
    long identity,
    long timeMs,
    PayloadKind kind,
    byte[] payload,
    byte[] properties,
    String messageType) {}
