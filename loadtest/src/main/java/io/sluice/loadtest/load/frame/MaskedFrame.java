package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.ThreadLocalRandom;

/** Encoder of masked client frames (RFC 6455, section 5.2). Stateless, for any thread. */
public final class MaskedFrame {
  /** Opcode of a text frame. */
  public static final int TEXT = 1;

  /** Opcode of a binary frame. */
  public static final int BINARY = 2;

  /** Opcode of a close frame. */
  public static final int CLOSE = 8;

  /** Opcode of a pong frame. */
  public static final int PONG = 10;

  private static final int FIN = 0x80;
  private static final int MASKED = 0x80;
  private static final int MAX_SEVEN_BITS = 125;
  private static final int MAX_SIXTEEN_BITS = 0xFFFF;

  private MaskedFrame() {}

  /** Appends a complete frame. */
  public static void write(ByteBuf out, int opcode, byte[] payload) {
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
