package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.CompressedFrame;
import java.util.Arrays;

/**
 * Joiner of frames into one buffer. Its buffers are borrowed until the batch ends. Bound to the
 * shard's event loop and reused.
 */
final class FrameJoiner {
  /** Maximum number of frames of one buffer. It makes the fixed cost of a delivery negligible. */
  static final int MAX_FRAMES = 128;

  private final ByteBufAllocator allocator;
  private final FlushBatch batch;
  private final ByteBuf[] parts = new ByteBuf[MAX_FRAMES];
  private int count;
  private int bytes;

  FrameJoiner(ByteBufAllocator allocator, FlushBatch batch) {
    this.allocator = allocator;
    this.batch = batch;
  }

  /** Starts a buffer and discards frames of a caller that failed before it joined them. */
  FrameJoiner begin() {
    Arrays.fill(parts, 0, count, null);
    count = 0;
    bytes = 0;
    return this;
  }

  /** Adds a frame, borrowed until {@link #join}. */
  void add(ByteBuf frame) {
    parts[count++] = frame;
    bytes += frame.readableBytes();
  }

  /** Returns the added frames, at least one: a single one itself, several as a copy. */
  ByteBuf join() {
    try {
      return count == 1 ? parts[0] : copy();
    } finally {
      begin();
    }
  }

  /** Returns the added compressed frames, at least one, with the ref of a subscription. */
  ByteBuf joinTagged(long ref) {
    try {
      ByteBuf all = buffer(bytes + count * CompressedFrame.MAX_TAG_BYTES);
      for (int i = 0; i < count; i++) {
        CompressedFrame.writeTagged(parts[i], ref, all);
      }
      return all;
    } finally {
      begin();
    }
  }

  /** Allocates an empty buffer, which is released at the end of the batch. */
  ByteBuf buffer(int capacity) {
    ByteBuf buffer = allocator.directBuffer(capacity);
    batch.releaseAtEnd(buffer);
    return buffer;
  }

  private ByteBuf copy() {
    ByteBuf all = buffer(bytes);
    for (int i = 0; i < count; i++) {
      all.writeBytes(parts[i], parts[i].readerIndex(), parts[i].readableBytes());
    }
    return all;
  }
}
