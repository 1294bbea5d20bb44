package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writer of unmasked server frames: RFC 6455, section 5. Stateless, for any thread. */
public final class WebSocketFrame {
  public static final int CONTINUATION = 0x0;
  public static final int TEXT = 0x1;
  public static final int BINARY = 0x2;
  public static final int CLOSE = 0x8;
  public static final int PING = 0x9;
  public static final int PONG = 0xA;

  /** Maximum payload bytes of a close, ping or pong. */
  public static final int MAX_CONTROL_PAYLOAD = 125;

  /** Maximum header bytes of a server frame. */
  public static final int MAX_HEADER = 10;

  private static final int FIN = 0x80;
  private static final int RSV1 = 0x40;
  private static final int OPCODE = 0x0F;

  private WebSocketFrame() {}

  /** Returns the header bytes of a payload of this size: 2, 4 or 10. */
  public static int headerBytes(int payloadBytes) {
    if (payloadBytes <= 125) {
      return 2;
    }
    return payloadBytes <= 0xFFFF ? 4 : 10;
  }

  /** Returns the header bytes of the frame at the reader index. */
  public static int headerBytesOf(ByteBuf frame) {
    return switch (frame.getByte(frame.readerIndex() + 1)) {
      case 126 -> 4;
      case 127 -> 10;
      default -> 2;
    };
  }

  /** Returns the payload bytes of the frame at the reader index. */
  public static int payloadBytesOf(ByteBuf frame) {
    int length = frame.getByte(frame.readerIndex() + 1);
    return switch (length) {
      case 126 -> frame.getUnsignedShort(frame.readerIndex() + 2);
      case 127 -> Math.toIntExact(frame.getLong(frame.readerIndex() + 2));
      default -> length;
    };
  }

  /** Returns whether the frame at the reader index is a binary message. */
  public static boolean isBinary(ByteBuf frame) {
    return (frame.getByte(frame.readerIndex()) & OPCODE) == BINARY;
  }

  /** Returns whether the payload of the frame at the reader index is compressed. */
  public static boolean isDeflated(ByteBuf frame) {
    return (frame.getByte(frame.readerIndex()) & RSV1) != 0;
  }

  /**
   * Writes the header of a message in one frame.
   *
   * @param opcode {@link #TEXT} or {@link #BINARY}
   * @param deflated whether {@link Deflation} has compressed the payload
   */
  public static void writeHeader(ByteBuf out, int opcode, boolean deflated, int payloadBytes) {
    out.writeByte(FIN | (deflated ? RSV1 : 0) | opcode);
    writeLength(out, payloadBytes);
  }

  /**
   * Writes the header of a message in one frame into the space before its payload, and moves the
   * reader index to it. The header has at most {@link #MAX_HEADER} bytes.
   *
   * @param opcode {@link #TEXT} or {@link #BINARY}
   */
  public static ByteBuf prependHeader(ByteBuf frame, int opcode) {
    int length = frame.readableBytes();
    int end = frame.writerIndex();
    int start = frame.readerIndex() - headerBytes(length);
    writeHeader(frame.setIndex(start, start), opcode, false, length);
    return frame.writerIndex(end);
  }

  /**
   * Writes a ping or pong with the payload's readable bytes; the payload's indices do not change.
   *
   * @param opcode {@link #PING} or {@link #PONG}
   * @throws IllegalArgumentException if the payload is longer than 125 bytes
   */
  public static void writeControl(ByteBuf out, int opcode, ByteBuf payload) {
    int length = payload.readableBytes();
    if (length > MAX_CONTROL_PAYLOAD) {
      throw new IllegalArgumentException("payload of a control frame has " + length + " bytes");
    }
    out.writeByte(FIN | opcode).writeByte(length);
    out.writeBytes(payload, payload.readerIndex(), length);
  }

  /** Writes a close frame without code or reason: the reply to one without them. */
  public static void writeClose(ByteBuf out) {
    out.writeByte(FIN | CLOSE).writeByte(0);
  }

  /** Writes a close frame; a reason over 123 bytes of UTF-8 is truncated between two characters. */
  public static void writeClose(ByteBuf out, int code, String reason) {
    byte[] utf8 = reason.getBytes(StandardCharsets.UTF_8);
    int length = cut(utf8, MAX_CONTROL_PAYLOAD - Short.BYTES);
    out.writeByte(FIN | CLOSE).writeByte(Short.BYTES + length).writeShort(code);
    out.writeBytes(utf8, 0, length);
  }

  private static void writeLength(ByteBuf out, int payloadBytes) {
    switch (headerBytes(payloadBytes)) {
      case 2 -> out.writeByte(payloadBytes);
      case 4 -> out.writeByte(126).writeShort(payloadBytes);
      default -> out.writeByte(127).writeLong(payloadBytes);
    }
  }

  private static int cut(byte[] utf8, int maxBytes) {
    if (utf8.length <= maxBytes) {
      return utf8.length;
    }
    int end = maxBytes;
    while (end > 0 && (utf8[end] & 0xC0) == 0x80) {
      end--;
    }
    return end;
  }
}
