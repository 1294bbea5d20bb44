package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.Map;

/**
 * Message of a subscription.
 *
 * @param topic concrete topic
 * @param pattern pattern through which the message arrived; null for a topic
 * @param offset number in the subscription on this node
 * @param id identity, 16 hexadecimal digits; the same on every node
 * @param time acceptance by the broker, in milliseconds since 1970
 * @param properties JMS properties: strings, booleans, {@code Long} and {@code Double}
 * @param removed true if the message removes its topic or key; the payload is then empty
 * @param payload content
 */
public record Message(
    String topic,
    String pattern,
    long offset,
    String id,
    long time,
    Map<String, Object> properties,
    boolean removed,
    Payload payload) {
  static Message of(Frame frame) {
    return new Message(
        frame.text("topic"),
        frame.optionalText("pattern"),
        frame.number("offset"),
        frame.id(),
        frame.number("time"),
        frame.properties(),
        frame.flag("removed"),
        Payload.of(frame));
  }

  /** Returns the payload as text. */
  public String text() {
    return payload.text();
  }
}
