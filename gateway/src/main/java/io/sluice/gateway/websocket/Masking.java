package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;

/** The masking of RFC 6455, section 5.3. Stateless; any thread may call it. */
final class Masking {
  private Masking() {}

  /**
   * Masks or unmasks bytes where they lie. The first of them meets the mask's highest byte.
   *
   * @param start absolute index of the first byte; the indices of the buffer stay as they are
   */
  static void apply(ByteBuf bytes, int start, int count, int mask) {
    if (mask == 0) {
      return;
    }
    long wide = (long) mask << 32 | mask & 0xFFFFFFFFL;
    int end = start + count;
    int at = start;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      bytes.setLong(at, bytes.getLong(at) ^ wide);
    }
    if (at <= end - Integer.BYTES) {
      bytes.setInt(at, bytes.getInt(at) ^ mask);
      at += Integer.BYTES;
    }
    for (int rest = mask; at < end; at++, rest <<= Byte.SIZE) {
      bytes.setByte(at, bytes.getByte(at) ^ rest >>> 24);
    }
  }

  /** The mask as it stands after {@code count} bytes, for the byte that follows them. */
  static int advance(int mask, int count) {
    return Integer.rotateLeft(mask, count * Byte.SIZE);
  }
}
