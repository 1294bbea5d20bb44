package io.sluice.gateway.protocol;

/**
 * A message as the broker delivered it, read out of JMS once per node. Any thread may read it; the
 * arrays are never written after construction.
 *
 * @param topic the concrete topic, never a pattern
 * @param identity 64-bit hash of the broker's message id, the same on every node
 * @param timeMs when the broker took the message, or the publisher sent it where the broker does
 *     not say; milliseconds since 1970
 * @param kind what {@code payload} is
 * @param payload the content
 * @param properties the allowlisted properties as one JSON object in UTF-8, or null if there are
 *     none
 * @param key what tells it from other messages of its topic in a snapshot, or null
 */
public record Message(
    String topic,
    long identity,
    long timeMs,
    PayloadKind kind,
    byte[] payload,
    byte[] properties,
    String key) {

  /** A message of a topic that has no keys. */
  public Message(
      String topic,
      long identity,
      long timeMs,
      PayloadKind kind,
      byte[] payload,
      byte[] properties) {
    this(topic, identity, timeMs, kind, payload, properties, null);
  }
}
