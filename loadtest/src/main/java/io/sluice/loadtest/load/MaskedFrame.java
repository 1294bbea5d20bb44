package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.ThreadLocalRandom;

/** Encoder of masked client frames (RFC 6455, section 5.2). Stateless, for any thread. */
final class MaskedFrame {
  static final int TEXT = 1;
  static final int CLOSE = 8;
  static final int PONG = 10;

  private static final int FIN = 0x80;
  private static final int MASKED = 0x80;
  private static final int MAX_SEVEN_BITS = 125;
  private static final int MAX_SIXTEEN_BITS = 0xFFFF;

  private MaskedFrame() {}

  /** Appends a complete frame. */
  static void write(ByteBuf out, int opcode, byte[] payload) {
    out.writeByte(FIN | opcode);
    writeLength(out, payload.length);
    int mask = ThreadLocalRandom.current().nextInt();
    out.writeInt(mask);
    for (byte value : payload) {
      mask = Integer.rotateLeft(mask, Byte.SIZE);
      out.writeByte(value ^ mask);
    }
  }

  private static void writeLength(ByteBuf out, int length) {
    if (length <= MAX_SEVEN_BITS) {
      out.writeByte(MASKED | length);
    } else if (length <= MAX_SIXTEEN_BITS) {
      out.writeByte(MASKED | 126).writeShort(length);
    } else {
      out.writeByte(MASKED | 127).writeLong(length);
    }
  }
}
