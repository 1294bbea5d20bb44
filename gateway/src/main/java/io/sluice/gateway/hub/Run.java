package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.MessageEncoder;

/**
 * Messages of one topic that follow each other in a shard's queue, so that each subscriber is
 * handed all of them at once, as one buffer. Bound to the shard's event loop and used again and
 * again.
 */
final class Run {
  /** Most messages that are handed over at once. */
  static final int MOST = FrameJoiner.MOST;

  private final FrameJoiner joiner;
  private final int mostBytes;
  private final Fanout[] fanouts = new Fanout[MOST];
  private ShardTopic topic;
  private int size;
  private int bytes;

  /**
   * @param mostBytes payload bytes that are handed over at once, unless a single message has more
   */
  Run(FrameJoiner joiner, int mostBytes) {
    this.joiner = joiner;
    this.mostBytes = mostBytes;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /**
   * Whether a message begins this run or continues it: the same topic, the next offset, and there
   * is room.
   */
  boolean accepts(ShardEvent.Delivery next) {
    if (size == 0) {
      return true;
    }
    return next.topic() == topic
        && size < MOST
        && bytes + next.fanout().message.payload().length <= mostBytes
        && next.fanout().offset == last().offset + 1;
  }

  /** Takes a message over, with the shard's share of it. */
  void add(ShardEvent.Delivery next) {
    topic = next.topic();
    bytes += next.fanout().message.payload().length;
    fanouts[size++] = next.fanout();
  }

  ShardTopic topic() {
    return topic;
  }

  int size() {
    return size;
  }

  Fanout at(int index) {
    return fanouts[index];
  }

  Fanout first() {
    return fanouts[0];
  }

  Fanout last() {
    return fanouts[size - 1];
  }

  /** All frames in one encoding, one after the other; lent until the batch ends. */
  ByteBuf frames(int encoding, MessageEncoder encoder) {
    joiner.begin();
    for (int i = 0; i < size; i++) {
      joiner.add(fanouts[i].frame(encoding, encoder));
    }
    return joiner.join();
  }

  /** Is empty again; the batch has the messages now. */
  void clear(Batch batch) {
    for (int i = 0; i < size; i++) {
      batch.releaseAtEnd(fanouts[i]);
      fanouts[i] = null;
    }
    topic = null;
    size = 0;
    bytes = 0;
  }
}
