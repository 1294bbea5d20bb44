package io.sluice.gateway.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C over numbers. */
final class Checksum {
  private Checksum() {}

  static byte[] bytes(long... numbers) {
    ByteBuffer out = ByteBuffer.allocate(numbers.length * Long.BYTES);
    for (long number : numbers) {
      out.putLong(number);
    }
    return out.array();
  }

  static long of(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }
}
