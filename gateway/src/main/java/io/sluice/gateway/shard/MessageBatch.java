package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.protocol.MessageEncoder;

/**
 * Batch of consecutive messages of one topic in a shard's queue: each subscriber is handed all of
 * them at once, as one buffer. Bound to the shard's event loop and used again and again.
 */
final class MessageBatch {
  /** Most messages that are handed over at once. */
  static final int MOST = FrameJoiner.MOST;

  private final FrameJoiner joiner;
  private final int mostBytes;
  private final EncodedMessage[] messages = new EncodedMessage[MOST];
  private int size;
  private int bytes;

  /**
   * @param mostBytes payload bytes that are handed over at once, unless a single message has more
   */
  MessageBatch(FrameJoiner joiner, int mostBytes) {
    this.joiner = joiner;
    this.mostBytes = mostBytes;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Whether a message of its topic begins this batch or continues it, and there is room. */
  boolean accepts(EncodedMessage next) {
    if (size == 0) {
      return true;
    }
    return size < MOST
        && bytes + next.message.payload().length <= mostBytes
        && next.offset == last().offset + 1;
  }

  /** Takes a message over, with the shard's share of it. */
  void add(EncodedMessage next) {
    bytes += next.message.payload().length;
    messages[size++] = next;
  }

  int size() {
    return size;
  }

  EncodedMessage at(int index) {
    return messages[index];
  }

  EncodedMessage first() {
    return messages[0];
  }

  EncodedMessage last() {
    return messages[size - 1];
  }

  /** All frames in one encoding, one after the other; lent until the batch ends. */
  ByteBuf frames(int encoding, MessageEncoder encoder) {
    joiner.begin();
    for (int i = 0; i < size; i++) {
      joiner.add(messages[i].frame(encoding, encoder));
    }
    return joiner.join();
  }

  /** Is empty again; the batch has the messages now. */
  void clear(Batch batch) {
    for (int i = 0; i < size; i++) {
      batch.releaseAtEnd(messages[i]);
      messages[i] = null;
    }
    size = 0;
    bytes = 0;
  }
}
