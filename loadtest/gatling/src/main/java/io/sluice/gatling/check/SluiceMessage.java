package io.sluice.gatling.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;

/**
 * Received message, delivery or reply, as checks read it. Immutable, for any thread.
 *
 * <p>Members have the names of the protocol's JSON encoding, such as {@code time} and {@code
 * properties}.
 */
public final class SluiceMessage {
  private final JsonNode members;
  private final byte[] payload;

  SluiceMessage(JsonNode members, byte[] payload) {
    this.members = members;
    this.payload = payload;
  }

  /** Returns the topic; an empty string if unknown. */
  public String topic() {
    return members.path("topic").asText("");
  }

  /** Returns when the broker accepted the message, in milliseconds since 1970. */
  public long time() {
    return members.path("time").asLong();
  }

  /** Returns the identity, 16 hexadecimal digits. */
  public String id() {
    return members.path("id").asText();
  }

  /** Returns a JMS property; null if the message does not have it. */
  public String property(String name) {
    JsonNode value = members.path("properties").get(name);
    return value == null || value.isNull() ? null : value.asText();
  }

  /** Returns any other member, such as {@code correlationId}; null if it is absent. */
  public String member(String name) {
    JsonNode value = members.get(name);
    return value == null ? null : value.isValueNode() ? value.asText() : value.toString();
  }

  /** Returns the payload as text. */
  public String text() {
    return new String(payload, StandardCharsets.UTF_8);
  }

  /** Returns a copy of the payload. */
  public byte[] bytes() {
    return payload.clone();
  }

  /** Returns the size of the payload in bytes. */
  public int length() {
    return payload.length;
  }

  /** Returns the members without the payload. */
  @Override
  public String toString() {
    return members.toString();
  }
}
