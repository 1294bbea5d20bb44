package io.sluice.loadtest.broker.result;

import java.util.List;

/**
 * What one way to use a disk gave with one size of blocks. Immutable.
 *
 * @param block bytes
 * @param perSecond blocks a second; where blocks are not synced each, one sync at the end is in it
 * @param times of each block, in microseconds
 */
public record DiskResult(Way way, int block, double perSecond, DurationSummary times) {
  /** The sizes of blocks, in bytes. */
  public static final List<Integer> BLOCKS =
      List.of(512, 1024, 2048, 4096, 8192, 16384, 32768, 65536);

  private static final double MIB = 1 << 20;

  /** How the blocks are written or read, one after the other. */
  public enum Way {
    /** Written into the kernel's memory, synced once at the end. */
    WRITE(false, false, false),
    /** Written and synced one by one, into a file that grows. */
    SYNC_GROWING(false, true, false),
    /** Written and synced one by one, into a file that has its size already. */
    SYNC_PREALLOCATED(true, true, false),
    /** Read, from the kernel's memory where it has them. */
    READ(true, false, true),
    /** Read from the disk itself. */
    READ_DIRECT(true, false, true);

    private final boolean preallocated;
    private final boolean synced;
    private final boolean reads;

    Way(boolean preallocated, boolean synced, boolean reads) {
      this.preallocated = preallocated;
      this.synced = synced;
      this.reads = reads;
    }

    public boolean preallocated() {
      return preallocated;
    }

    public boolean synced() {
      return synced;
    }

    public boolean reads() {
      return reads;
    }
  }

  double mebibytesPerSecond() {
    return perSecond * block / MIB;
  }
}
