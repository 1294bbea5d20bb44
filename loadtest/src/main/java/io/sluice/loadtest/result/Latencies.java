package io.sluice.loadtest.result;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Summary and histogram of latencies in microseconds, with three significant digits. Immutable, for
 * any thread.
 *
 * @param early number of negative latencies, which are counted as 0
 * @param leastMicros the smallest latency, which may be negative
 * @param histogram of all latencies: HdrHistogram's compressed encoding in base64
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
   * Returns the summary of a histogram.
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
   * Returns the histogram.
   *
   * @throws IllegalArgumentException if {@code histogram} is invalid
   */
  public Histogram unpack() {
    try {
      byte[] bytes = Base64.getDecoder().decode(histogram);
      return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    } catch (DataFormatException | RuntimeException e) {
      throw new IllegalArgumentException(
          "invalid histogram: expected HdrHistogram's compressed encoding in base64", e);
    }
  }

  private static String pack(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }
}
