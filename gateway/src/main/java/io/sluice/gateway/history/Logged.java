package io.sluice.gateway.history;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * An entry of a topic's log: a message, or the mark of a loss. Immutable but for its link to the
 * encoded frames; for any thread.
 */
public final class Logged {
  /** Separates topic and key; no valid topic contains it. */
  static final char KEY_SEPARATOR = '\n';

  /** Heap bytes of a mark: this object and its slot in the log. */
  private static final int MARK_BYTES = 56;

  /**
   * Heap bytes of a message's objects without their contents: this object (48), its slot in the log
   * (8), the message (48), the topic (40) and the array of the payload (20).
   */
  private static final int MESSAGE_BYTES = 164;

  /** Heap bytes of the properties' array, and of the key's text, without their contents. */
  private static final int PROPERTIES_BYTES = 20;

  private static final int KEY_BYTES = 40;

  private static final AtomicReferenceFieldUpdater<Logged, EncodedMessage> ENCODED =
      AtomicReferenceFieldUpdater.newUpdater(Logged.class, EncodedMessage.class, "encoded");

  private final Message message;
  private final Channel channel;
  private final GapReason loss;
  private final long offset;
  private final long arrivedMs;
  private final String key;

  /** The latest frames of this message, perhaps released already; null if there are none. */
  private volatile EncodedMessage encoded;

  private Logged(Message message, Channel channel, GapReason loss, long offset, long arrivedMs) {
    this.message = message;
    this.channel = channel;
    this.loss = loss;
    this.offset = offset;
    this.arrivedMs = arrivedMs;
    this.key = message == null ? null : key(message);
  }

  public static Logged message(Message message, Channel channel, long offset, long arrivedMs) {
    return new Logged(message, channel, null, offset, arrivedMs);
  }

  static Logged mark(GapReason loss, long offset, long arrivedMs) {
    return new Logged(null, null, loss, offset, arrivedMs);
  }

  private static String key(Message message) {
    return message.key() == null
        ? message.topic()
        : message.topic() + KEY_SEPARATOR + message.key();
  }

  /** The message, or null if this is a mark. */
  public Message message() {
    return message;
  }

  public Channel channel() {
    return channel;
  }

  /** The reason of the loss, or null if this is a message. */
  public GapReason loss() {
    return loss;
  }

  /** The entry's number in its log. */
  public long offset() {
    return offset;
  }

  /** When it came, by {@link HubClock#monoMs}. */
  long arrivedMs() {
    return arrivedMs;
  }

  /** What a snapshot has one message of: the topic, or its key within the topic. */
  public String key() {
    return key;
  }

  public boolean isMark() {
    return message == null;
  }

  /** Links frames that were encoded, unless others were linked since {@code before} was read. */
  boolean link(EncodedMessage before, EncodedMessage frames) {
    return ENCODED.compareAndSet(this, before, frames);
  }

  /**
   * The frames that were linked last, or null. They may be released: {@link
   * EncodedMessage#tryRetain}.
   */
  EncodedMessage encoded() {
    return encoded;
  }

  /** Releases what the frame cache keeps of this entry, which has left its log. */
  void dropFrames() {
    EncodedMessage frames = encoded;
    if (frames != null) {
      frames.drop();
    }
  }

  /** Heap bytes of the entry; {@code HistoryHeap} compares them with what is measured. */
  public int size() {
    return message == null ? MARK_BYTES : size(message);
  }

  /** Heap bytes of an entry with this message. */
  public static int size(Message message) {
    int size = MESSAGE_BYTES + message.topic().length() + message.payload().length;
    if (message.properties() != null) {
      size += PROPERTIES_BYTES + message.properties().length;
    }
    if (message.key() != null) {
      // The key of the message, and that of the entry, which holds the topic, too.
      size += 2 * (KEY_BYTES + message.key().length()) + message.topic().length();
    }
    return size;
  }
}
