package io.sluice.gateway.protocol.queue;

import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;

/**
 * Message of a queue, delivered to one client. Immutable, for any thread: the arrays are never
 * modified.
 *
 * @param tag number of the delivery in its consumer, from 1; 0 for a browsed message
 * @param redelivery whether the message was delivered before
 * @param identity 64-bit hash of the broker's message id, the same on every node
 * @param timeMs time at which the broker accepted the message, or the publisher sent it if the
 *     broker's time is unknown; milliseconds since 1970
 * @param kind type of {@code payload}
 * @param payload the content
 * @param properties the allowlisted properties as one JSON object in UTF-8, or null if there are
 *     none
 * @param messageType JMSType, or null
 * @param correlationId JMSCorrelationID, or null
 * @param replyTo destination for replies, or null
 * @param group message group, or null
 * @param topic the concrete topic; null unless the consumer belongs to a subscription of a pattern
 */
public record QueueDelivery(
    long tag,
    Redelivery redelivery,
    long identity,
    long timeMs,
    PayloadKind kind,
    byte[] payload,
    byte[] properties,
    String messageType,
    String correlationId,
    Destination replyTo,
    String group,
    String topic) {

  /** Knowledge about earlier deliveries of a message. */
  public enum Redelivery {
    /** It was not delivered before. */
    NONE("false"),

    /** A broker that stopped may have delivered it without counting. */
    UNKNOWN("unknown"),

    /** The broker has counted an earlier delivery. */
    COUNTED("true");

    private final String text;

    Redelivery(String text) {
      this.text = text;
    }

    /** Returns the value of the tag of the metric. */
    public String text() {
      return text;
    }
  }
}
