package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageEncoder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * One message on its way to all shards, with its frames, one for each encoding in use. Shared by
 * the broker's thread and the shards; the frames live until every shard has released it.
 */
final class Fanout {
  final Logged entry;
  final Message message;
  final long offset;

  private final AtomicReferenceArray<ByteBuf> frames = new AtomicReferenceArray<>(Encoding.COUNT);
  private final AtomicInteger owners = new AtomicInteger(1);

  /** The creator is the first owner. */
  Fanout(Logged entry) {
    this.entry = entry;
    this.message = entry.message();
    this.offset = entry.offset();
  }

  /** Encodes what is not there yet. Called by the creator, before any shard sees it. */
  void encode(int encodings, MessageEncoder encoder) {
    for (int i = 0; i < Encoding.COUNT; i++) {
      if ((encodings & 1 << i) != 0) {
        frame(i, encoder);
      }
    }
  }

  /**
   * The frame in one encoding, borrowed until {@link #release}. A client whose encoding came into
   * use a moment ago finds none and has it made here.
   */
  ByteBuf frame(int encoding, MessageEncoder encoder) {
    ByteBuf frame = frames.get(encoding);
    if (frame != null) {
      return frame;
    }
    ByteBuf made = encoder.encode(message, entry.channel(), offset, Encoding.at(encoding));
    if (frames.compareAndSet(encoding, null, made)) {
      return made;
    }
    made.release();
    return frames.get(encoding);
  }

  void retain() {
    owners.incrementAndGet();
  }

  void release() {
    if (owners.decrementAndGet() > 0) {
      return;
    }
    for (int i = 0; i < Encoding.COUNT; i++) {
      ByteBuf frame = frames.get(i);
      if (frame != null) {
        frame.release();
      }
    }
  }
}
