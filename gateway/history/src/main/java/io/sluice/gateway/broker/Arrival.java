package io.sluice.gateway.broker;

import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/**
 * Message or loss received by a durable interest. Immutable, for any thread.
 *
 * @param message null if the received message is not forwarded
 * @param loss reason of the loss; null if this is a message
 * @param persistent whether the broker would have retained it over a restart
 * @param delivery its place in the order of delivery
 * @param fields what selectors test; null if it is unknown, or was not needed
 */
public record Arrival(
    Message message,
    GapReason loss,
    boolean persistent,
    DeliveryInfo delivery,
    MessageFields fields) {
  /** Creates the arrival of an ordinary message. */
  public Arrival(Message message, GapReason loss, boolean persistent, boolean redelivered) {
    this(
        message,
        loss,
        persistent,
        new DeliveryInfo(Broker.NO_SEQUENCE, 4, false, 0, redelivered, false),
        null);
  }
}
