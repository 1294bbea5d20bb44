package io.sluice.gateway.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Resources of the process at one moment: bytes of heap after full collections, bytes of Netty's
 * pool (reserved, and of buffers in use), and descriptors. Immutable.
 */
record Footprint(long heap, long direct, long pinned, long descriptors) {
  private static final long MIB = 1024 * 1024;
  private static final long HEAP_SLACK = 8 * MIB;

  /** Chunks per arena that the pool may retain: each arena releases its chunks late. */
  private static final int CHUNKS_PER_ARENA = 2;

  private static final long PINNED_SLACK = MIB / 4;
  private static final long DESCRIPTOR_SLACK = 10;
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  static Footprint now() {
    var pool = PooledByteBufAllocator.DEFAULT;
    return new Footprint(
        collectedHeap(),
        pool.metric().usedDirectMemory(),
        pool.pinnedDirectMemory(),
        openDescriptors());
  }

  // References with a queue need more than one collection.
  private static long collectedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private static long openDescriptors() {
    if (!Files.isDirectory(OPEN_FILES)) {
      return 0;
    }
    try (Stream<Path> open = Files.list(OPEN_FILES)) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asserts that memory and descriptors have returned to earlier values, except for caches. */
  void assertBackTo(Footprint before) {
    assertThat(heap).as("heap, which was %s", before).isLessThan(before.heap + HEAP_SLACK);
    assertThat(direct).as("pool, which was %s", before).isLessThan(before.direct + poolSlack());
    assertThat(pinned).as("in use, which was %s", before).isLessThan(before.pinned + PINNED_SLACK);
    assertThat(descriptors)
        .as("descriptors, which were %s", before)
        .isLessThan(before.descriptors + DESCRIPTOR_SLACK);
  }

  private static long poolSlack() {
    var metric = PooledByteBufAllocator.DEFAULT.metric();
    return (long) CHUNKS_PER_ARENA * metric.numDirectArenas() * metric.chunkSize();
  }

  @Override
  public String toString() {
    return "heap %d KiB, pool %d KiB of which %d bytes in use, %d descriptors"
        .formatted(heap / 1024, direct / 1024, pinned, descriptors);
  }
}
