package io.sluice.gateway.history;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Entry of a topic's log: a message or a gap marker. Immutable except for its link to the encoded
 * frames; any thread may call it.
 */
public final class LogEntry {
  /** Separates topic and key; no valid topic contains it. */
  static final char KEY_SEPARATOR = '\n';

  /** Maximum payload bytes of a dictionary, and of a message that has one. */
  private static final int WINDOW = 32 * 1024;

  /** Heap bytes of a gap marker: this object and its slot in the log. */
  private static final int GAP_BYTES = 56;

  /**
   * Heap bytes of a message entry without its contents. These are this object (48), its slot in the
   * log (8), the message (48), the topic (40) and the array of the payload (20).
   */
  private static final int MESSAGE_BYTES = 164;

  /** Heap bytes of the properties' array without its content. */
  private static final int PROPERTIES_BYTES = 20;

  /** Heap bytes of an expiry. */
  private static final int EXPIRY_BYTES = 8;

  /** Heap bytes of a key's string without its content. */
  private static final int KEY_BYTES = 40;

  /** Rank of a message that may overtake any other: a scheduled or a redelivered one. */
  public static final int OVERTAKING = 15;

  /** Rank of a message with JMS' default priority. */
  public static final int DEFAULT_RANK = 4;

  private static final int RANK_BITS = 4;
  private static final int RANK_MASK = (1 << RANK_BITS) - 1;

  private static final AtomicReferenceFieldUpdater<LogEntry, EncodedMessage> ENCODED =
      AtomicReferenceFieldUpdater.newUpdater(LogEntry.class, EncodedMessage.class, "encoded");

  private final Message message;
  private final Channel channel;
  private final GapReason gapReason;
  private final long offset;

  /** Arrival time, and the rank in the lowest bits. */
  private final long arrival;

  private final String key;

  /** The latest frames of this message, possibly released; null if there are none. */
  private volatile EncodedMessage encoded;

  private LogEntry(
      Message message,
      Channel channel,
      GapReason gapReason,
      long offset,
      long arrivedMs,
      int rank) {
    this.message = message;
    this.channel = channel;
    this.gapReason = gapReason;
    this.offset = offset;
    this.arrival = arrivedMs << RANK_BITS | rank;
    this.key = message == null ? null : key(message);
  }

  /** Creates the entry of a message of the default rank. */
  public static LogEntry message(Message message, Channel channel, long offset, long arrivedMs) {
    return message(message, channel, offset, arrivedMs, DEFAULT_RANK);
  }

  /**
   * Creates the entry of a message.
   *
   * @param rank JMS priority, or {@link #OVERTAKING}
   */
  static LogEntry message(Message message, Channel channel, long offset, long arrivedMs, int rank) {
    return new LogEntry(message, channel, null, offset, arrivedMs, rank);
  }

  /** Creates a gap marker. */
  static LogEntry gap(GapReason reason, long offset, long arrivedMs) {
    return new LogEntry(null, null, reason, offset, arrivedMs, 0);
  }

  private static String key(Message message) {
    return message.key() == null
        ? message.topic()
        : message.topic() + KEY_SEPARATOR + message.key();
  }

  /** Returns the message, or null if this is a gap marker. */
  public Message message() {
    return message;
  }

  /** Returns the channel of the message, or null if this is a gap marker. */
  public Channel channel() {
    return channel;
  }

  /** Returns the reason of the gap, or null if this is a message. */
  public GapReason gapReason() {
    return gapReason;
  }

  /** Returns the offset in the log. */
  public long offset() {
    return offset;
  }

  /** Returns the arrival time by {@link HubClock#monoMs}. */
  public long arrivedMs() {
    return arrival >> RANK_BITS;
  }

  /** Returns the JMS priority of the message, or {@link #OVERTAKING}. */
  int rank() {
    return (int) arrival & RANK_MASK;
  }

  /** Returns the snapshot key: the topic, or the topic with the message's key. */
  public String key() {
    return key;
  }

  /**
   * Returns whether this message may be compressed with an entry as its dictionary: the previous
   * message of the log. Neither exceeds the window of a decompressor.
   *
   * @param previous may be null
   */
  public boolean continues(LogEntry previous) {
    return previous != null
        && previous.offset == offset - 1
        && previous.isShareable()
        && isShareable();
  }

  private boolean isShareable() {
    return message != null && message.payload().length <= WINDOW && !channel.isCompressedAlone();
  }

  /** Returns whether the message has expired at a time in milliseconds since 1970. */
  public boolean isExpired(long nowMs) {
    return message != null && message.isExpired(nowMs);
  }

  /** Returns whether this is a gap marker. */
  public boolean isGap() {
    return message == null;
  }

  /** Links encoded frames, unless others were linked since {@code before} was read. */
  boolean link(EncodedMessage before, EncodedMessage frames) {
    return ENCODED.compareAndSet(this, before, frames);
  }

  /**
   * Returns the frames that were linked last, or null. They may be released; {@link
   * EncodedMessage#tryRetain} checks it.
   */
  EncodedMessage encoded() {
    return encoded;
  }

  /** Removes the frames of this entry from the frame cache, after its eviction from the log. */
  void uncacheFrames() {
    EncodedMessage frames = encoded;
    if (frames != null) {
      frames.uncache();
    }
  }

  /** Returns the heap bytes of the entry. {@code HistoryHeap} compares them with measured sizes. */
  public int size() {
    return message == null ? GAP_BYTES : size(message);
  }

  /** Returns the heap bytes of an entry with this message. */
  public static int size(Message message) {
    int size = MESSAGE_BYTES + message.topic().length() + message.payload().length;
    if (message.properties() != null) {
      size += PROPERTIES_BYTES + message.properties().length;
    }
    if (message.expiresMs() != Message.NO_EXPIRY) {
      size += EXPIRY_BYTES;
    }
    if (message.key() != null) {
      // The key of the message, and the key of the entry, which contains the topic.
      size += 2 * (KEY_BYTES + message.key().length()) + message.topic().length();
    }
    return size;
  }
}
