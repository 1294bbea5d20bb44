package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.websocket.WebSocketFrame;

/**
 * Writer of compressed frames, which a client inflates itself: docs/PROTOCOL.md, section 5.
 * Stateless, for any thread.
 *
 * <p>Their content is that of the frames for permessage-deflate. It is compressed once and copied.
 */
public final class CompressedFrame {
  private static final int TYPE = 0x03;
  private static final int TYPE_MASK = 0x0F;
  private static final int NEXT = 0x10;
  private static final int PLAIN = 0x20;
  private static final int KIND_MASK = 0x30;
  private static final int TEXT = 0x40;
  private static final int HAS_REF = 0x80;

  /** Bits of a number in one byte; the highest bit is set if further bytes follow. */
  private static final int NUMBER_BITS = 7;

  private static final int MORE = 0x80;

  /** Largest number of a stream: four bytes in a frame. */
  public static final int MAX_STREAM = (1 << 28) - 1;

  /** Maximum bytes that a client has to inflate; larger messages are sent uncompressed. */
  public static final int MAX_INFLATED_BYTES = 16 * 1024 * 1024;

  /** Maximum bytes that {@link #writeTagged} adds to a frame. */
  public static final int MAX_TAG_BYTES = 12;

  private CompressedFrame() {}

  /**
   * Returns a frame with the content of another one, owned by the caller.
   *
   * @param base a compressed or uncompressed frame of permessage-deflate; its indices do not change
   * @param next whether the previous message of the stream is its dictionary
   */
  static ByteBuf of(
      ByteBuf base, boolean binary, boolean next, int stream, ByteBufAllocator allocator) {
    int start = base.readerIndex() + WebSocketFrame.headerBytesOf(base);
    int bytes = base.writerIndex() - start;
    int length = 1 + numberBytes(stream) + bytes;
    ByteBuf frame = allocator.directBuffer(WebSocketFrame.headerBytes(length) + length);
    WebSocketFrame.writeHeader(frame, WebSocketFrame.BINARY, false, length);
    writeNumber(frame.writeByte(TYPE | (binary ? 0 : TEXT) | kind(base, next)), stream);
    return frame.writeBytes(base, start, bytes);
  }

  private static int kind(ByteBuf base, boolean next) {
    if (next) {
      return NEXT;
    }
    return WebSocketFrame.isDeflated(base) ? 0 : PLAIN;
  }

  /**
   * Writes a frame for a tagged subscription: its ref replaces the stream.
   *
   * @param frame a result of {@link #of}; its indices do not change
   * @param ref 0 to 2^32-1
   */
  public static void writeTagged(ByteBuf frame, long ref, ByteBuf out) {
    int type = frame.readerIndex() + WebSocketFrame.headerBytesOf(frame);
    int content = type + 1;
    while ((frame.getByte(content++) & MORE) != 0) {
      // skips the number of the stream
    }
    int length = 1 + numberBytes(ref) + frame.writerIndex() - content;
    WebSocketFrame.writeHeader(out, WebSocketFrame.BINARY, false, length);
    writeNumber(out.writeByte(frame.getByte(type) | HAS_REF), ref);
    out.writeBytes(frame, content, frame.writerIndex() - content);
  }

  /** Returns whether the frame at the reader index is a compressed frame. */
  public static boolean is(ByteBuf frame) {
    int start = frame.readerIndex();
    return WebSocketFrame.isBinary(frame)
        && !WebSocketFrame.isDeflated(frame)
        && (frame.getByte(start + WebSocketFrame.headerBytesOf(frame)) & TYPE_MASK) == TYPE;
  }

  /** Returns whether the content of a compressed frame is compressed. */
  public static boolean isDeflated(ByteBuf frame) {
    int type = frame.getByte(frame.readerIndex() + WebSocketFrame.headerBytesOf(frame));
    return (type & KIND_MASK) != PLAIN;
  }

  private static int numberBytes(long number) {
    int bytes = 1;
    for (long rest = number >>> NUMBER_BITS; rest > 0; rest >>>= NUMBER_BITS) {
      bytes++;
    }
    return bytes;
  }

  // Least significant bits first.
  private static void writeNumber(ByteBuf out, long number) {
    long rest = number;
    while (rest >= MORE) {
      out.writeByte((int) rest & MORE - 1 | MORE);
      rest >>>= NUMBER_BITS;
    }
    out.writeByte((int) rest);
  }
}
