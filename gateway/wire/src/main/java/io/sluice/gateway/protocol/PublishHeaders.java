package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBufUtil;
import java.util.stream.Stream;

/**
 * JMS headers of a publish: docs/PROTOCOL.md, section 3. Immutable, for any thread.
 *
 * @param priority JMS priority, 0 to 9
 * @param ttlMs time to live in milliseconds; {@link #NONE} if the message does not expire
 * @param delayMs delivery delay in milliseconds; {@link #NONE} if it is delivered at once
 * @param mode delivery mode
 * @param messageType JMSType, or null
 * @param correlationId JMSCorrelationID, or null
 * @param group JMSXGroupID, or null
 * @param replyTo JMSReplyTo, or null
 * @param id id of an idempotent publish, or null
 */
public record PublishHeaders(
    int priority,
    long ttlMs,
    long delayMs,
    Mode mode,
    String messageType,
    String correlationId,
    String group,
    Destination replyTo,
    String id) {
  /** Value of a time that is not set. */
  public static final long NONE = 0;

  /** Priority of messages without the member. */
  public static final int DEFAULT_PRIORITY = 4;

  /** Headers of a publish without any of these members. */
  public static final PublishHeaders DEFAULT =
      new PublishHeaders(DEFAULT_PRIORITY, NONE, NONE, Mode.OF_NODE, null, null, null, null, null);

  private static final int OBJECT_BYTES = 128;

  /** Delivery modes. */
  public enum Mode {
    /** The setting of the node. */
    OF_NODE,
    PERSISTENT,
    NON_PERSISTENT
  }

  /** Returns these headers with another id. */
  public PublishHeaders withId(String other) {
    return new PublishHeaders(
        priority, ttlMs, delayMs, mode, messageType, correlationId, group, replyTo, other);
  }

  /** Returns an estimate of the bytes on the heap. */
  public long size() {
    if (this == DEFAULT) {
      return 0;
    }
    String destination = replyTo == null ? null : replyTo.name();
    return OBJECT_BYTES
        + Stream.of(messageType, correlationId, group, destination, id)
            .mapToLong(text -> text == null ? 0 : ByteBufUtil.utf8Bytes(text))
            .sum();
  }
}
