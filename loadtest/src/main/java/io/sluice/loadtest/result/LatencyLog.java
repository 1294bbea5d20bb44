package io.sluice.loadtest.result;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * Log of one client's latencies in microseconds: one histogram with three significant digits per
 * second. The range of seconds to evaluate can therefore be selected later.
 *
 * <p>Past seconds are compressed to about 100 B each. Not thread-safe: one client writes the log,
 * and it is read after the client has disconnected.
 */
public final class LatencyLog {
  private static final int DIGITS = 3;

  private final Map<Integer, byte[]> packed = new HashMap<>();
  private final IntCountsHistogram current = new IntCountsHistogram(DIGITS);
  private int currentSecond;
  private long early;
  private long leastMicros = Long.MAX_VALUE;

  /**
   * Records the latency of one message.
   *
   * @param second of the run, from 0; must not decrease
   * @param micros negative if clocks differ; recorded as 0 and counted as early
   */
  public void record(int second, long micros) {
    if (second != currentSecond) {
      pack();
      currentSecond = second;
    }
    leastMicros = Math.min(leastMicros, micros);
    if (micros < 0) {
      early++;
    }
    current.recordValue(Math.max(0, micros));
  }

  /** Returns the number of negative latencies. */
  public long early() {
    return early;
  }

  /**
   * Returns the smallest latency in microseconds, which may be negative, or {@code Long.MAX_VALUE}
   * without any.
   */
  public long leastMicros() {
    return leastMicros;
  }

  /**
   * Returns all latencies of the seconds from {@code from} (inclusive) to {@code to} (exclusive).
   */
  public Histogram between(int from, int to) {
    Histogram sum = new Histogram(DIGITS);
    for (Map.Entry<Integer, byte[]> second : packed.entrySet()) {
      if (second.getKey() >= from && second.getKey() < to) {
        sum.add(unpack(second.getValue()));
      }
    }
    if (currentSecond >= from && currentSecond < to) {
      sum.add(current);
    }
    return sum;
  }

  private void pack() {
    if (current.getTotalCount() == 0) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.allocate(current.getNeededByteBufferCapacity());
    int length = current.encodeIntoCompressedByteBuffer(buffer);
    packed.put(currentSecond, Arrays.copyOf(buffer.array(), length));
    current.reset();
  }

  private static Histogram unpack(byte[] bytes) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    } catch (DataFormatException e) {
      throw new IllegalStateException("cannot decode a stored histogram", e);
    }
  }
}
