package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;

/**
 * Joiner of frames into one buffer. Its buffers are lent until the batch ends. Bound to the shard's
 * event loop and used again and again.
 */
final class FrameJoiner {
  /** Most frames of one buffer: enough to make the cost of a single hand-over vanish. */
  static final int MOST = 128;

  private final ByteBufAllocator allocator;
  private final Batch batch;
  private final ByteBuf[] parts = new ByteBuf[MOST];
  private int count;
  private int bytes;

  FrameJoiner(ByteBufAllocator allocator, Batch batch) {
    this.allocator = allocator;
    this.batch = batch;
  }

  /** Drops the frames of a caller that failed before it joined them. */
  FrameJoiner begin() {
    Arrays.fill(parts, 0, count, null);
    count = 0;
    bytes = 0;
    return this;
  }

  /** Adds a frame, which stays its owner's until {@link #join}. */
  void add(ByteBuf frame) {
    parts[count++] = frame;
    bytes += frame.readableBytes();
  }

  /** All frames since the last call, one at least: a single one as it is, several as a copy. */
  ByteBuf join() {
    try {
      return count == 1 ? parts[0] : copy();
    } finally {
      begin();
    }
  }

  /** An empty buffer with this capacity. */
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
