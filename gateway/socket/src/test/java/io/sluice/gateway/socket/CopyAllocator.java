package io.sluice.gateway.socket;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.atomic.AtomicInteger;

/** Allocator that counts its direct buffers and can be exhausted. Any thread. */
final class CopyAllocator extends AbstractByteBufAllocator {
  private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean exhausted;

  CopyAllocator() {
    super(true);
  }

  /** Sets whether the next allocations fail. */
  void exhaust(boolean value) {
    exhausted = value;
  }

  /** Returns the number of buffers allocated so far. */
  int count() {
    return count.get();
  }

  /** Returns the bytes of the buffers that were not released. */
  long usedBytes() {
    return buffers.metric().usedDirectMemory();
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return buffers.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    if (exhausted) {
      throw new OutOfMemoryError("exhausted by the test");
    }
    count.incrementAndGet();
    return buffers.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
