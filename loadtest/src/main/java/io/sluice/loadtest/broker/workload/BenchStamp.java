package io.sluice.loadtest.broker.workload;

import java.io.Serializable;
import java.util.Arrays;

/**
 * Header of each payload: run, producer, sequence number and due time by {@link System#nanoTime} of
 * this process. Immutable, for any thread.
 */
public record BenchStamp(int run, int producer, long number, long nanos) implements Serializable {
  /** Size of a stamp in bytes. It consists of hexadecimal digits and is therefore valid text. */
  static final int BYTES = 8 + 8 + 16 + 16;

  private static final byte FILLER = '.';
  private static final byte[] DIGITS = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  /** Returns a payload of a size in bytes, at least {@link #BYTES}. */
  public byte[] payload(int size) {
    byte[] payload = new byte[size];
    write(payload);
    Arrays.fill(payload, BYTES, size, FILLER);
    return payload;
  }

  /** Writes the stamp to the first bytes of a payload. */
  void write(byte[] payload) {
    write(run, payload, 0, 8);
    write(producer, payload, 8, 16);
    write(number, payload, 16, 32);
    write(nanos, payload, 32, 48);
  }

  /** Returns the stamp at an index, or null. */
  public static BenchStamp read(byte[] bytes, int start) {
    if (bytes.length - start < BYTES) {
      return null;
    }
    for (int i = start; i < start + BYTES; i++) {
      if (Character.digit(bytes[i], 16) < 0) {
        return null;
      }
    }
    return new BenchStamp(
        (int) number(bytes, start, 8),
        (int) number(bytes, start + 8, 8),
        number(bytes, start + 16, 16),
        number(bytes, start + 32, 16));
  }

  private static void write(long value, byte[] target, int start, int end) {
    long rest = value;
    for (int i = end - 1; i >= start; i--) {
      target[i] = DIGITS[(int) (rest & 0xf)];
      rest >>>= 4;
    }
  }

  private static long number(byte[] bytes, int start, int digits) {
    long value = 0;
    for (int i = start; i < start + digits; i++) {
      value = value << 4 | Character.digit(bytes[i], 16);
    }
    return value;
  }
}
