package io.sluice.loadtest.broker.result;

import java.util.List;

/**
 * Result of one disk access method with one block size. Immutable, for any thread.
 *
 * @param way access method
 * @param block block size in bytes
 * @param perSecond blocks per second; includes one final sync if blocks are not synced individually
 * @param times duration per block, in microseconds
 */
public record DiskResult(Access way, int block, double perSecond, DurationSummary times) {
  /** Block sizes in bytes. */
  public static final List<Integer> BLOCKS =
      List.of(512, 1024, 2048, 4096, 8192, 16384, 32768, 65536);

  private static final double MIB = 1 << 20;

  /** Sequential access method. */
  public enum Access {
    /** Writes to the page cache, with one final sync. */
    WRITE(false, false, false),
    /** Writes with a sync after each block, to a growing file. */
    SYNC_GROWING(false, true, false),
    /** Writes with a sync after each block, to a preallocated file. */
    SYNC_PREALLOCATED(true, true, false),
    /** Reads through the page cache. */
    READ(true, false, true),
    /** Reads with direct I/O, bypassing the page cache. */
    READ_DIRECT(true, false, true);

    private final boolean preallocated;
    private final boolean synced;
    private final boolean reads;

    Access(boolean preallocated, boolean synced, boolean reads) {
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
