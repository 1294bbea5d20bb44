package io.sluice.gateway.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C checksum over numbers. Any thread may call it. */
final class Checksum {
  private Checksum() {}

  /** Returns the big-endian bytes of numbers. */
  static byte[] bytes(long... numbers) {
    ByteBuffer out = ByteBuffer.allocate(numbers.length * Long.BYTES);
    for (long number : numbers) {
      out.putLong(number);
    }
    return out.array();
  }

  /** Returns the checksum of bytes. */
  static long of(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }
}
