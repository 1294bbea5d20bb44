package io.sluice.loadtest.result;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * The latencies of one client in microseconds, with a histogram of three digits for each second, so
 * that it can be decided afterwards which seconds count. Past seconds are kept packed: some 100 B
 * each. Not thread-safe: one client writes it, and it is read after the client's end.
 */
public final class LatencyLog {
  private static final int DIGITS = 3;

  private final Map<Integer, byte[]> packed = new HashMap<>();
  private final IntCountsHistogram present = new IntCountsHistogram(DIGITS);
  private int presentSecond;
  private long early;
  private long leastMicros = Long.MAX_VALUE;

  /**
   * Takes the latency of one message.
   *
   * @param second of the run, from 0; it never goes back
   * @param micros negative if the message came before it was sent, as clocks that differ make it
   *     seem; counted as 0, and as early
   */
  public void record(int second, long micros) {
    if (second != presentSecond) {
      pack();
      presentSecond = second;
    }
    leastMicros = Math.min(leastMicros, micros);
    if (micros < 0) {
      early++;
    }
    present.recordValue(Math.max(0, micros));
  }

  /** Messages that came before they were sent. */
  public long early() {
    return early;
  }

  /** The smallest latency in microseconds, maybe negative; {@code Long.MAX_VALUE} of nothing. */
  public long leastMicros() {
    return leastMicros;
  }

  /** All latencies of the seconds from {@code from} up to, but not including, {@code to}. */
  public Histogram between(int from, int to) {
    Histogram sum = new Histogram(DIGITS);
    for (Map.Entry<Integer, byte[]> second : packed.entrySet()) {
      if (second.getKey() >= from && second.getKey() < to) {
        sum.add(unpack(second.getValue()));
      }
    }
    if (presentSecond >= from && presentSecond < to) {
      sum.add(present);
    }
    return sum;
  }

  private void pack() {
    if (present.getTotalCount() == 0) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.allocate(present.getNeededByteBufferCapacity());
    int length = present.encodeIntoCompressedByteBuffer(buffer);
    packed.put(presentSecond, Arrays.copyOf(buffer.array(), length));
    present.reset();
  }

  private static Histogram unpack(byte[] bytes) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    } catch (DataFormatException e) {
      throw new IllegalStateException("a histogram that was packed here cannot be read", e);
    }
  }
}
