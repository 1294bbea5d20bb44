package io.sluice.gateway.broker;

/**
 * Place in a stream of a source with offsets, given by the latest message of each partition. A
 * partition without an id has no message before the place. Immutable, for any thread.
 *
 * <p>The identity of a message of such a source contains its partition and its offset, in 15 and 48
 * bits. It is equal on every node.
 *
 * @param stream number of the stream, equal on all nodes; a topic that was deleted and created
 *     again has another one
 * @param ids identities of the latest messages, in any order; the highest of a partition counts
 * @param reused first and last identities of ranges that are assigned again, in pairs. A place in
 *     one of them may be that of a removed message
 * @param whole whether the topic has all messages of these partitions, so that it reaches every
 *     place of a client
 */
public record StreamPlace(int stream, long[] ids, long[] reused, boolean whole) {
  /** Number of partitions that identities can distinguish. */
  public static final int MAX_PARTITIONS = 1 << 15;

  /** Offset before the first message of a partition. */
  public static final long BEFORE_FIRST = -1;

  private static final long[] NONE = {};
  private static final int OFFSET_BITS = 48;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  /** Creates a place of a stream whose identities are unique, and whose topics share partitions. */
  public StreamPlace(int stream, long[] ids) {
    this(stream, ids, NONE, false);
  }

  /** Returns the identity of a message; both numbers begin at 0. */
  public static long id(int partition, long offset) {
    return (long) partition << OFFSET_BITS | offset & OFFSET_MASK;
  }

  /** Returns the partition of a message. */
  public static int partition(long id) {
    return (int) (id >>> OFFSET_BITS);
  }

  /** Returns the offset of a message in its partition. */
  public static long offset(long id) {
    return id & OFFSET_MASK;
  }

  /** Returns the offset of the latest message of a partition, or {@link #BEFORE_FIRST}. */
  public long offsetOf(int partition) {
    long latest = BEFORE_FIRST;
    for (long id : ids) {
      if (partition(id) == partition) {
        latest = Math.max(latest, offset(id));
      }
    }
    return latest;
  }
}
