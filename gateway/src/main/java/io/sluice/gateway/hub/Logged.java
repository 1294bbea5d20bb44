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
  /** What an entry costs beside its message's bytes, roughly. */
  private static final int OVERHEAD = 160;

  static Logged message(Message message, Channel channel, long offset, long arrivedMs) {
    return new Logged(message, channel, null, offset, arrivedMs);
  }

  static Logged mark(GapReason loss, long offset, long arrivedMs) {
    return new Logged(null, null, loss, offset, arrivedMs);
  }

  /** What a snapshot has one message of: the topic, or its key within the topic. */
  String key() {
    return message.key() == null ? message.topic() : message.topic() + '\n' + message.key();
  }

  boolean isMark() {
    return message == null;
  }

  /** Bytes that it keeps from the garbage collector, roughly. */
  int size() {
    return message == null ? OVERHEAD : size(message);
  }

  /** Bytes of an entry with this message, roughly. */
  static int size(Message message) {
    int properties = message.properties() == null ? 0 : message.properties().length;
    return OVERHEAD + message.payload().length + properties;
  }
}
