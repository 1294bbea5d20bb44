package io.sluice.gateway.metrics;

/**
 * Frames that one event loop has sent to clients. Only its owner may call {@link #add}. Any thread
 * may read.
 */
public final class EgressCounters {
  private static final int FRAMES = 0;
  private static final int BYTES = 1;

  private final LoopValues values = new LoopValues(2);

  EgressCounters() {}

  /** Counts frames passed to the kernel, and their bytes. */
  public void add(long frames, long bytes) {
    values.add(FRAMES, frames);
    values.add(BYTES, bytes);
  }

  /** Returns the number of frames since the start. */
  long frames() {
    return values.get(FRAMES);
  }

  /** Returns the bytes of the frames since the start. */
  long bytes() {
    return values.get(BYTES);
  }
}
