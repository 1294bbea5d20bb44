package io.sluice.gateway.broker;

/**
 * Place in a stream of a source with offsets, given by the latest message of each partition. A
 * partition without an id has no message before the place. Immutable, for any thread.
 *
 * <p>The identity of a message of such a source contains its partition in 15 bits, its offset, and
 * its <i>mark</i>: 16 bits, 8 for large offsets. Another message to which the source assigns the
 * same offset has another mark. The identity is equal on every node, and increases with the offset.
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
  private static final int RANK_BITS = 48;
  private static final long RANK_MASK = (1L << RANK_BITS) - 1;

  /** Offset from which on marks are short, and its rank. */
  private static final long LARGE = 1L << 31;

  private static final int LONG_MARK = 16;
  private static final int SHORT_MARK = 8;
  private static final long LARGE_RANK = LARGE << LONG_MARK;

  /** Largest offset that identities can contain. */
  public static final long MAX_OFFSET = LARGE - 1 + (LARGE_RANK >>> SHORT_MARK);

  /** Creates a place of a stream whose identities are unique, and whose topics share partitions. */
  public StreamPlace(int stream, long[] ids) {
    this(stream, ids, NONE, false);
  }

  /** Returns the identity of a message of a source that assigns no offset again. */
  public static long id(int partition, long offset) {
    return id(partition, offset, 0);
  }

  /**
   * Returns the identity of a message; partitions and offsets begin at 0.
   *
   * @param mark its lower bits count
   */
  public static long id(int partition, long offset, long mark) {
    long rank =
        offset < LARGE
            ? offset << LONG_MARK | mark & (1 << LONG_MARK) - 1
            : LARGE_RANK + (offset - LARGE << SHORT_MARK) | mark & (1 << SHORT_MARK) - 1;
    return ofRank(partition, rank);
  }

  /** Returns the identity of the message of a partition with a rank. */
  public static long ofRank(int partition, long rank) {
    return (long) partition << RANK_BITS | rank;
  }

  /** Returns the offset and the mark of a message: a number that increases with the offset. */
  public static long rank(long id) {
    return id & RANK_MASK;
  }

  /** Returns the partition of a message. */
  public static int partition(long id) {
    return (int) (id >>> RANK_BITS);
  }

  /** Returns the offset of a message in its partition. */
  public static long offset(long id) {
    long rank = rank(id);
    return rank < LARGE_RANK ? rank >>> LONG_MARK : LARGE + (rank - LARGE_RANK >>> SHORT_MARK);
  }

  /** Returns the number of bits of a message's mark. */
  public static int markBits(long id) {
    return rank(id) < LARGE_RANK ? LONG_MARK : SHORT_MARK;
  }

  /** Returns the mark of a message: the lower {@link #markBits} of the number that it was given. */
  public static int mark(long id) {
    return (int) id & (1 << markBits(id)) - 1;
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
