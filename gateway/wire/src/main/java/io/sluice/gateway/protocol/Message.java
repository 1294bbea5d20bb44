package io.sluice.gateway.protocol;

/**
 * Message delivered by the broker, converted from JMS once per node. Immutable, for any thread: the
 * arrays are never modified.
 *
 * @param topic the concrete topic, never a pattern
 * @param identity at least 0: hash of topic and message id, equal on every node. Negative: valid on
 *     one node only. {@link #NO_IDENTITY}: not assigned yet
 * @param timeMs time at which the broker accepted the message, or the publisher sent it if the
 *     broker's time is unknown; milliseconds since 1970
 * @param kind type of {@code payload}
 * @param payload the content
 * @param properties the allowlisted properties as one JSON object in UTF-8, or null if there are
 *     none
 * @param key distinguishes messages of one topic in a snapshot, or null
 */
public record Message(
    String topic,
    long identity,
    long timeMs,
    PayloadKind kind,
    byte[] payload,
    byte[] properties,
    String key) {

  /** Identity of a message without an id, until the node assigns one. */
  public static final long NO_IDENTITY = Long.MIN_VALUE;

  /** Returns whether other nodes have the message under the same identity. */
  public boolean isIdentified() {
    return identity >= 0;
  }

  /** Returns the same message with another identity. */
  public Message withIdentity(long other) {
    return new Message(topic, other, timeMs, kind, payload, properties, key);
  }

  /** Returns whether it removes its topic or key from snapshots. */
  public boolean isRemoval() {
    return kind == PayloadKind.REMOVAL;
  }

  /** Creates a message of a topic without keys. */
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
