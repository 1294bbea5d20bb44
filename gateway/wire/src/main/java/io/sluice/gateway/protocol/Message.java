package io.sluice.gateway.protocol;

/**
 * Message delivered by the broker, converted from JMS once per node. Immutable, for any thread: the
 * arrays are never modified. Only a message that expires has memory for that.
 */
public sealed class Message {
  /** Identity of a message without an id, until the node assigns one. */
  public static final long NO_IDENTITY = Long.MIN_VALUE;

  /** Expiry of a message that does not expire. */
  public static final long NO_EXPIRY = 0;

  private final String topic;
  private final long identity;
  private final long timeMs;
  private final PayloadKind kind;
  private final byte[] payload;
  private final byte[] properties;
  private final String key;

  /**
   * Creates a message that does not expire.
   *
   * @param topic the concrete topic, never a pattern
   * @param identity at least 0: hash of topic and message id, equal on every node. Negative: valid
   *     on one node only. {@link #NO_IDENTITY}: not assigned yet
   * @param timeMs time at which the broker accepted the message, or the publisher sent it if the
   *     broker's time is unknown; milliseconds since 1970
   * @param kind type of {@code payload}
   * @param payload the content
   * @param properties the allowlisted properties as one JSON object in UTF-8, or null if there are
   *     none
   * @param key distinguishes messages of one topic in a snapshot, or null
   */
  public Message(
      String topic,
      long identity,
      long timeMs,
      PayloadKind kind,
      byte[] payload,
      byte[] properties,
      String key) {
    this.topic = topic;
    this.identity = identity;
    this.timeMs = timeMs;
    this.kind = kind;
    this.payload = payload;
    this.properties = properties;
    this.key = key;
  }

  /** Creates a message of a topic without keys that does not expire. */
  public Message(
      String topic,
      long identity,
      long timeMs,
      PayloadKind kind,
      byte[] payload,
      byte[] properties) {
    this(topic, identity, timeMs, kind, payload, properties, null);
  }

  /** Message that expires. */
  private static final class Expiring extends Message {
    private final long expiresMs;

    private Expiring(Message of, long identity, long expiresMs) {
      super(of.topic(), identity, of.timeMs(), of.kind(), of.payload(), of.properties(), of.key());
      this.expiresMs = expiresMs;
    }

    @Override
    public long expiresMs() {
      return expiresMs;
    }
  }

  public final String topic() {
    return topic;
  }

  public final long identity() {
    return identity;
  }

  public final long timeMs() {
    return timeMs;
  }

  public final PayloadKind kind() {
    return kind;
  }

  public final byte[] payload() {
    return payload;
  }

  public final byte[] properties() {
    return properties;
  }

  public final String key() {
    return key;
  }

  /** Returns the time at which the message expires, in ms since 1970, or {@link #NO_EXPIRY}. */
  public long expiresMs() {
    return NO_EXPIRY;
  }

  /** Returns whether the message has expired at a time in milliseconds since 1970. */
  public final boolean isExpired(long nowMs) {
    long expiresMs = expiresMs();
    return expiresMs != NO_EXPIRY && expiresMs <= nowMs;
  }

  /** Returns this message with an expiry, unless that is not positive. */
  public final Message expiring(long expiresMs) {
    return expiresMs > NO_EXPIRY ? new Expiring(this, identity, expiresMs) : this;
  }

  /** Returns whether other nodes have the message under the same identity. */
  public final boolean isIdentified() {
    return identity >= 0;
  }

  /** Returns the same message with another identity. */
  public final Message withIdentity(long other) {
    return expiresMs() == NO_EXPIRY
        ? new Message(topic, other, timeMs, kind, payload, properties, key)
        : new Expiring(this, other, expiresMs());
  }

  /** Returns whether it removes its topic or key from snapshots. */
  public final boolean isRemoval() {
    return kind == PayloadKind.REMOVAL;
  }

  @Override
  public final String toString() {
    return "Message[" + topic + ", " + Long.toHexString(identity) + ", " + kind + "]";
  }
}
