package io.sluice.gateway.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Leak detector: makes Netty track every buffer, and collects its reports of buffers that were not
 * released. Opened and closed by one thread; reports may come from any thread.
 */
final class LeakWatch implements AutoCloseable {
  // A collected buffer is reported by one of the next allocations.
  private static final int ROUNDS = 10;
  private static final int ALLOCATIONS = 100;

  private final ResourceLeakDetector.Level levelBefore = ResourceLeakDetector.getLevel();
  private final Queue<String> reports = new ConcurrentLinkedQueue<>();

  /** Starts the detection; earlier leaks are not counted. */
  LeakWatch() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    provokeReports();
    ByteBufUtil.setLeakListener((type, records) -> reports.add(type + records));
  }

  /** Returns all reports so far. */
  List<String> reports() {
    provokeReports();
    return new ArrayList<>(reports);
  }

  private void provokeReports() {
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    for (int round = 0; round < ROUNDS && reports.isEmpty(); round++) {
      System.gc();
      for (int i = 0; i < ALLOCATIONS; i++) {
        ByteBuf buffer = allocator.directBuffer(16);
        buffer.release();
      }
    }
  }

  @Override
  public void close() {
    ByteBufUtil.setLeakListener(null);
    ResourceLeakDetector.setLevel(levelBefore);
  }
}
