package io.sluice.gateway.metrics;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * The latencies that one thread has recorded and {@link LatencyWindow} has not yet collected. Only
 * its owner, one event loop, may call {@link #record}; it neither allocates, blocks nor throws.
 */
public final class LatencyRecorder {
  /** Longest latency that is told apart, one hour; longer ones count as this long. */
  static final long HIGHEST_MICROS = 3_600_000_000L;

  /** Significant decimal digits: a value is off by less than 1 %, a histogram takes 27 KiB. */
  static final int DIGITS = 2;

  private final SingleWriterRecorder recorder = new SingleWriterRecorder(HIGHEST_MICROS, DIGITS);
  private final AtomicLong sumMicros = new AtomicLong();

  LatencyRecorder() {}

  /**
   * Records that some frames had the same latency.
   *
   * @param micros the latency; below 0 (clocks that differ) it counts as 0
   * @param frames how many; below 1 nothing is recorded
   */
  public void record(long micros, long frames) {
    if (frames < 1) {
      return;
    }
    long clamped = Math.max(0, Math.min(micros, HIGHEST_MICROS));
    recorder.recordValueWithCount(clamped, frames);
    sumMicros.lazySet(sumMicros.getPlain() + clamped * frames);
  }

  /** Sum of all latencies since the start, for any thread. */
  long sumMicros() {
    return sumMicros.get();
  }

  /** Swaps out what was recorded since the last call; {@code recycled} was its result, or null. */
  Histogram swap(Histogram recycled) {
    return recorder.getIntervalHistogram(recycled);
  }
}
