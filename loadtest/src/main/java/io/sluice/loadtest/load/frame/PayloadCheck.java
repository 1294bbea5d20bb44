package io.sluice.loadtest.load.frame;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Check that all clients of a topic receive the same payload for each sequence number of the feed.
 * Bound to its event loop.
 *
 * <p>A payload begins with {@code TS=… SEQ=… }. The checksums of the latest {@link #NUMBERS}
 * sequence numbers of each topic are stored.
 */
public final class PayloadCheck {
  /** Result for a payload without a sequence number. */
  public static final long NONE = -1;

  /** Result for a payload that differs from that of another client. */
  public static final long DIFFERENT = -2;

  private static final int NUMBERS = 1024;
  private static final int SEARCHED_BYTES = 1024;
  private static final int MAX_DIGITS = 18;
  private static final byte[] STAMP = "TS=".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SEQUENCE = " SEQ=".getBytes(StandardCharsets.US_ASCII);

  private final Map<String, Checksums> topics = new HashMap<>();
  private final CRC32 crc = new CRC32();

  /** Checksums of one topic, by the sequence number modulo {@link #NUMBERS}. */
  private static final class Checksums {
    private final long[] numbers = new long[NUMBERS];
    private final int[] sums = new int[NUMBERS];

    boolean isEqual(long number, int sum) {
      int index = (int) (number % NUMBERS);
      if (numbers[index] != number + 1) {
        numbers[index] = number + 1; // 0: no number
        sums[index] = sum;
      }
      return sums[index] == sum;
    }
  }

  /** Returns the sequence number of a frame's payload, {@link #NONE} or {@link #DIFFERENT}. */
  public long check(String topic, byte[] frame) {
    int stamp = indexOf(STAMP, frame, 0);
    int sequence = stamp < 0 ? -1 : indexOf(SEQUENCE, frame, stamp);
    long number = sequence < 0 ? NONE : number(frame, sequence + SEQUENCE.length);
    if (number < 0) {
      return NONE;
    }
    crc.reset();
    crc.update(frame, stamp, frame.length - stamp);
    Checksums known = topics.computeIfAbsent(topic, name -> new Checksums());
    return known.isEqual(number, (int) crc.getValue()) ? number : DIFFERENT;
  }

  private static int indexOf(byte[] searched, byte[] in, int from) {
    int end = Math.min(in.length, SEARCHED_BYTES) - searched.length;
    for (int at = from; at <= end; at++) {
      int equal = 0;
      while (equal < searched.length && in[at + equal] == searched[equal]) {
        equal++;
      }
      if (equal == searched.length) {
        return at;
      }
    }
    return -1;
  }

  private static long number(byte[] in, int start) {
    long number = 0;
    int at = start;
    for (; at < in.length && in[at] >= '0' && in[at] <= '9'; at++) {
      number = number * 10 + in[at] - '0';
    }
    return at == start || at - start > MAX_DIGITS ? NONE : number;
  }
}
