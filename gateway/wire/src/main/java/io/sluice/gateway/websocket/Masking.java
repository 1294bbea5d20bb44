package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;

/** Masking of RFC 6455, section 5.3. Stateless, for any thread. */
final class Masking {
  private Masking() {}

  /**
   * Masks or unmasks bytes in place. The mask's highest byte applies to the first of them.
   *
   * @param start absolute index of the first byte; the indices of the buffer do not change
   */
  static void apply(ByteBuf bytes, int start, int count, int mask) {
    if (mask == 0) {
      return;
    }
    long wide = (long) mask << 32 | mask & 0xFFFFFFFFL;
    int end = start + count;
    int index = start;
    for (; index <= end - Long.BYTES; index += Long.BYTES) {
      bytes.setLong(index, bytes.getLong(index) ^ wide);
    }
    if (index <= end - Integer.BYTES) {
      bytes.setInt(index, bytes.getInt(index) ^ mask);
      index += Integer.BYTES;
    }
    for (int rest = mask; index < end; index++, rest <<= Byte.SIZE) {
      bytes.setByte(index, bytes.getByte(index) ^ rest >>> 24);
    }
  }

  /** Returns the mask rotated by {@code count} bytes, for the next byte. */
  static int advance(int mask, int count) {
    return Integer.rotateLeft(mask, count * Byte.SIZE);
  }
}
