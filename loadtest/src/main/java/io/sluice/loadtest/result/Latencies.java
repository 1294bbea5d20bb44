package io.sluice.loadtest.result;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds, to three digits. Immutable.
 *
 * @param early how many seemed to be negative, and count as 0
 * @param leastMicros the smallest, maybe negative
 * @param histogram of all of them, as HdrHistogram packs it, in base64
 */
public record Latencies(
    long count,
    long early,
    long leastMicros,
    double mean,
    long p50,
    long p95,
    long p99,
    long p999,
    long max,
    String histogram) {

  /**
   * The figures of a histogram.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public static Latencies of(Histogram histogram, long early, long leastMicros) {
    long count = histogram.getTotalCount();
    if (count == 0) {
      throw new IllegalArgumentException("an empty histogram has no percentiles");
    }
    return new Latencies(
        count,
        early,
        leastMicros,
        histogram.getMean(),
        histogram.getValueAtPercentile(50),
        histogram.getValueAtPercentile(95),
        histogram.getValueAtPercentile(99),
        histogram.getValueAtPercentile(99.9),
        histogram.getMaxValue(),
        pack(histogram));
  }

  /**
   * All of them.
   *
   * @throws IllegalArgumentException if {@code histogram} is not one
   */
  public Histogram unpack() {
    try {
      byte[] bytes = Base64.getDecoder().decode(histogram);
      return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    } catch (DataFormatException | RuntimeException e) {
      throw new IllegalArgumentException("not a packed histogram", e);
    }
  }

  private static String pack(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }
}
