package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.Map;

/**
 * Reply to a request.
 *
 * @param id identity, 16 hexadecimal digits
 * @param time acceptance by the broker, in milliseconds since 1970
 * @param messageType JMSType; null if there is none
 * @param properties JMS properties
 * @param payload content
 */
public record Reply(
    String id, long time, String messageType, Map<String, Object> properties, Payload payload) {
  static Reply of(Frame frame) {
    return new Reply(
        frame.id(),
        frame.number("time"),
        frame.optionalText("messageType"),
        frame.map("properties"),
        Payload.of(frame));
  }

  /** Returns the payload as text. */
  public String text() {
    return payload.text();
  }
}
