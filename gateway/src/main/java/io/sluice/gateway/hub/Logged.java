package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/**
 * An entry of a topic's log: a message, or the mark of a loss. Immutable, for any thread.
 *
 * @param message null if this is a mark
 * @param loss null if this is a message
 * @param offset the entry's number in its log
 * @param arrivedMs when it came, by {@link HubClock#monoMs}
 */
record Logged(Message message, Channel channel, GapReason loss, long offset, long arrivedMs) {
  /** Separates topic and key; no valid topic contains it. */
  static final char KEY_SEPARATOR = '\n';

  /** Heap bytes of a mark: this record and its slot in the log. */
  private static final int MARK_BYTES = 48;

  /**
   * Heap bytes of a message's objects without their contents: this record (40), its slot in the log
   * (8), the message (48), the topic (40) and the array of the payload (20).
   */
  private static final int MESSAGE_BYTES = 156;

  /** Heap bytes of the properties' array, and of the key's text, without their contents. */
  private static final int PROPERTIES_BYTES = 20;

  private static final int KEY_BYTES = 40;

  static Logged message(Message message, Channel channel, long offset, long arrivedMs) {
    return new Logged(message, channel, null, offset, arrivedMs);
  }

  static Logged mark(GapReason loss, long offset, long arrivedMs) {
    return new Logged(null, null, loss, offset, arrivedMs);
  }

  /** What a snapshot has one message of: the topic, or its key within the topic. */
  String key() {
    return message.key() == null
        ? message.topic()
        : message.topic() + KEY_SEPARATOR + message.key();
  }

  boolean isMark() {
    return message == null;
  }

  /** Heap bytes of the entry; {@code HistoryHeap} compares them with what is measured. */
  int size() {
    return message == null ? MARK_BYTES : size(message);
  }

  /** Heap bytes of an entry with this message. */
  static int size(Message message) {
    int size = MESSAGE_BYTES + message.topic().length() + message.payload().length;
    if (message.properties() != null) {
      size += PROPERTIES_BYTES + message.properties().length;
    }
    if (message.key() != null) {
      size += KEY_BYTES + message.key().length();
    }
    return size;
  }
}
