package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.DiskResult;
import io.sluice.loadtest.broker.result.DurationSummary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * What a folder's disk can do, before any broker is tuned: blocks written one after the other,
 * written with {@code fdatasync} after each, into a file that grows and into one that is there
 * already, and read. For one thread.
 */
final class DiskBenchmark {
  private static final int FILE_BYTES = 32 << 20;
  private static final int DIGITS = 3;
  private static final double NANOS = 1e9;

  private final Path folder;
  private final Duration each;

  /**
   * A benchmark that has not begun.
   *
   * @param folder in which it makes a file, and deletes it again
   * @param each how long each way is measured with each size
   */
  DiskBenchmark(Path folder, Duration each) {
    this.folder = folder;
    this.each = each;
  }

  /** One run: all ways, with all sizes that they can be used with. */
  List<DiskResult> run() throws IOException {
    int alignment = Math.toIntExact(Files.getFileStore(folder).getBlockSize());
    List<DiskResult> results = new ArrayList<>();
    for (int block : DiskResult.BLOCKS) {
      for (DiskResult.Way way : DiskResult.Way.values()) {
        if (way != DiskResult.Way.READ_DIRECT || block % alignment == 0) {
          results.add(measure(way, block, alignment));
        }
      }
    }
    return results;
  }

  private DiskResult measure(DiskResult.Way way, int block, int alignment) throws IOException {
    Path file = Files.createTempFile(folder, "disk-", ".bench");
    try {
      if (way.preallocated()) {
        preallocate(file);
      }
      return way.reads() ? read(way, file, block, alignment) : write(way, file, block);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static void preallocate(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
      for (int written = 0; written < FILE_BYTES; ) {
        zeros.clear();
        written += channel.write(zeros);
      }
      channel.force(true);
    }
  }

  private DiskResult write(DiskResult.Way way, Path file, int block) throws IOException {
    byte[] pattern = new byte[block];
    Arrays.fill(pattern, (byte) 'x');
    ByteBuffer bytes = ByteBuffer.allocateDirect(block).put(pattern);
    Histogram times = new Histogram(DIGITS);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long begin = System.nanoTime();
      long now = begin;
      for (long place = 0; now - begin < each.toNanos(); place += block) {
        bytes.clear();
        writeFully(channel, bytes, place % FILE_BYTES);
        if (way.synced()) {
          channel.force(false);
        }
        long done = System.nanoTime();
        times.recordValue(done - now);
        now = done;
      }
      if (!way.synced()) {
        channel.force(false);
      }
      return result(way, block, times, System.nanoTime() - begin);
    }
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes, long place)
      throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes, place + bytes.position());
    }
  }

  // By name: later compilers warn of the class, which no public one replaces.
  private static OpenOption direct() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("this JDK reads no file past the page cache", e);
    }
  }

  private DiskResult read(DiskResult.Way way, Path file, int block, int alignment)
      throws IOException {
    Set<OpenOption> options =
        way == DiskResult.Way.READ_DIRECT
            ? Set.of(StandardOpenOption.READ, direct())
            : Set.of(StandardOpenOption.READ);
    ByteBuffer bytes = ByteBuffer.allocateDirect(block + 2 * alignment).alignedSlice(alignment);
    Histogram times = new Histogram(DIGITS);
    try (FileChannel channel = FileChannel.open(file, options)) {
      long begin = System.nanoTime();
      long now = begin;
      for (long place = 0; now - begin < each.toNanos(); place += block) {
        bytes.clear().limit(block);
        channel.read(bytes, place % FILE_BYTES);
        long done = System.nanoTime();
        times.recordValue(done - now);
        now = done;
      }
      return result(way, block, times, now - begin);
    }
  }

  private static DiskResult result(DiskResult.Way way, int block, Histogram times, long nanos) {
    return new DiskResult(
        way, block, times.getTotalCount() * NANOS / nanos, DurationSummary.of(times));
  }
}
