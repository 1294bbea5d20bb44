package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;

/**
 * Batch of consecutive messages of one topic in a shard's queue, delivered to each subscriber as
 * one buffer. Bound to the shard's event loop and reused.
 */
final class MessageBatch {
  /** Maximum number of messages of a batch. */
  static final int MAX_MESSAGES = FrameJoiner.MAX_FRAMES;

  private final FrameJoiner joiner;
  private final int maxBytes;
  private final EncodedMessage[] messages = new EncodedMessage[MAX_MESSAGES];
  private int size;
  private int bytes;

  /**
   * Creates an empty batch.
   *
   * @param maxBytes maximum payload bytes of a batch, unless a single message has more
   */
  MessageBatch(FrameJoiner joiner, int maxBytes) {
    this.joiner = joiner;
    this.maxBytes = maxBytes;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns whether a message of the same topic fits into this batch. */
  boolean accepts(EncodedMessage next) {
    if (size == 0) {
      return true;
    }
    return size < MAX_MESSAGES
        && bytes + next.message.payload().length <= maxBytes
        && next.offset == last().offset + 1;
  }

  /** Adds a message and takes over the shard's reference to it. */
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

  /** Returns all frames in one encoding as one buffer, borrowed until the end of the batch. */
  ByteBuf frames(int encoding, MessageEncoder encoder) {
    joiner.begin();
    for (int i = 0; i < size; i++) {
      joiner.add(messages[i].frame(encoding, encoder));
    }
    return joiner.join();
  }

  /** Returns all frames in the forms of a sequence as one buffer, borrowed likewise. */
  ByteBuf frames(StreamForms forms, MessageEncoder encoder) {
    joiner.begin();
    for (int i = 0; i < size; i++) {
      int form = forms.next(messages[i].entry);
      ByteBuf frame = messages[i].frame(form, forms.previous(), encoder);
      forms.add(messages[i], form, frame);
      joiner.add(frame);
    }
    return joiner.join();
  }

  /** Counts that clients received all frames in one encoding. */
  void count(int encoding, int clients, MessageEncoder encoder, CompressionTally tally) {
    boolean binary = Encoding.at(encoding).isBinary();
    MessageForm form = MessageForm.at(encoding);
    tally.begin();
    for (int i = 0; i < size; i++) {
      tally.add(form, messages[i].plainBytes(binary), messages[i].frame(encoding, encoder));
    }
    tally.sent(tally.sequence(), clients);
  }

  /** Returns the payload bytes of all messages. */
  int payloadBytes() {
    return bytes;
  }

  /** Adds the traces of the messages to a batch, with the number of clients of each. */
  void addTraces(int clients, FlushBatch batch) {
    for (int i = 0; i < size; i++) {
      if (messages[i].trace != null) {
        batch.traced(messages[i].trace, messages[i].message.timeMs(), clients);
      }
    }
  }

  /** Clears this batch; the messages are released at the end of {@code batch}. */
  void clear(FlushBatch batch) {
    for (int i = 0; i < size; i++) {
      batch.releaseAtEnd(messages[i]);
      messages[i] = null;
    }
    size = 0;
    bytes = 0;
  }
}
