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
 * Benchmark of a folder's disk: sequential writes, writes with {@code fdatasync} after each block
 * into a growing and a preallocated file, and reads. For one thread.
 */
final class DiskBenchmark {
  private static final int FILE_BYTES = 32 << 20;
  private static final int DIGITS = 3;
  private static final double NANOS = 1e9;

  private final Path folder;
  private final Duration each;

  /**
   * Creates a benchmark.
   *
   * @param folder in which temporary files are created and deleted
   * @param each duration per access method and block size
   */
  DiskBenchmark(Path folder, Duration each) {
    this.folder = folder;
    this.each = each;
  }

  /** Runs all access methods once, with all block sizes that they support. */
  List<DiskResult> run() throws IOException {
    int alignment = Math.toIntExact(Files.getFileStore(folder).getBlockSize());
    List<DiskResult> results = new ArrayList<>();
    for (int block : DiskResult.BLOCKS) {
      for (DiskResult.Access access : DiskResult.Access.values()) {
        if (access != DiskResult.Access.READ_DIRECT || block % alignment == 0) {
          results.add(measure(access, block, alignment));
        }
      }
    }
    return results;
  }

  private DiskResult measure(DiskResult.Access access, int block, int alignment)
      throws IOException {
    Path file = Files.createTempFile(folder, "disk-", ".bench");
    try {
      if (access.preallocated()) {
        preallocate(file);
      }
      return access.reads() ? read(access, file, block, alignment) : write(access, file, block);
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

  private DiskResult write(DiskResult.Access access, Path file, int block) throws IOException {
    byte[] pattern = new byte[block];
    Arrays.fill(pattern, (byte) 'x');
    ByteBuffer bytes = ByteBuffer.allocateDirect(block).put(pattern);
    Histogram times = new Histogram(DIGITS);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long start = System.nanoTime();
      long now = start;
      for (long position = 0; now - start < each.toNanos(); position += block) {
        bytes.clear();
        writeFully(channel, bytes, position % FILE_BYTES);
        if (access.synced()) {
          channel.force(false);
        }
        long done = System.nanoTime();
        times.recordValue(done - now);
        now = done;
      }
      if (!access.synced()) {
        channel.force(false);
      }
      return result(access, block, times, System.nanoTime() - start);
    }
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes, long position)
      throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes, position + bytes.position());
    }
  }

  // By reflection: newer compilers warn of this class, which has no public replacement.
  private static OpenOption direct() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException(
          "this JDK does not support direct I/O (ExtendedOpenOption.DIRECT)", e);
    }
  }

  private DiskResult read(DiskResult.Access access, Path file, int block, int alignment)
      throws IOException {
    Set<OpenOption> options =
        access == DiskResult.Access.READ_DIRECT
            ? Set.of(StandardOpenOption.READ, direct())
            : Set.of(StandardOpenOption.READ);
    ByteBuffer bytes = ByteBuffer.allocateDirect(block + 2 * alignment).alignedSlice(alignment);
    Histogram times = new Histogram(DIGITS);
    try (FileChannel channel = FileChannel.open(file, options)) {
      long start = System.nanoTime();
      long now = start;
      for (long position = 0; now - start < each.toNanos(); position += block) {
        bytes.clear().limit(block);
        channel.read(bytes, position % FILE_BYTES);
        long done = System.nanoTime();
        times.recordValue(done - now);
        now = done;
      }
      return result(access, block, times, now - start);
    }
  }

  private static DiskResult result(
      DiskResult.Access access, int block, Histogram times, long nanos) {
    return new DiskResult(
        access, block, times.getTotalCount() * NANOS / nanos, DurationSummary.of(times));
  }
}
