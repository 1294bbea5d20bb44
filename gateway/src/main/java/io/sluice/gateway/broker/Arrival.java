package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/**
 * A message or a loss that a durable interest has received. Immutable, for any thread.
 *
 * @param message null if the received message is not forwarded
 * @param loss why; null if this is a message
 * @param persistent whether the broker would have kept it over a restart
 * @param named whether the message's identity comes from an id of its own, so that one that comes
 *     again can be told from one that is alike
 */
public record Arrival(Message message, GapReason loss, boolean persistent, boolean named) {}
