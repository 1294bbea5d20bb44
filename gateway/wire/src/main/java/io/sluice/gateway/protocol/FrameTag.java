package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.charset.StandardCharsets;

/**
 * Writer of messages and gaps of tagged subscriptions, which contain a ref: docs/PROTOCOL.md,
 * sections 4 and 5. Stateless, for any thread.
 *
 * <p>A message is encoded once, as for plain subscriptions. Inserting a ref only copies bytes, also
 * in compressed frames. The base ({@link MessageForm#tagBase}) is compressed from behind the
 * position of the ref. The frame starts with the bytes before it as a stored block (RFC 1951).
 */
public final class FrameTag {
  /** Bytes of a binary message before the position of the ref. */
  static final int BINARY_HEAD = 20;

  private static final byte[] JSON_REF = ",\"ref\":".getBytes(StandardCharsets.US_ASCII);
  private static final int JSON_HEAD = "{\"type\":\"message\"".length();
  private static final int GAP_HEAD = "{\"type\":\"gap\"".length();
  private static final int HAS_REF = 0x80;
  private static final int STORED_BLOCK = 5;
  private static final int MAX_DIGITS = 10;

  /** Maximum bytes that a tag adds to a frame: JSON, a stored block, a longer header. */
  public static final int MAX_BYTES = JSON_REF.length + MAX_DIGITS + STORED_BLOCK + 6;

  private FrameTag() {}

  /** Returns the bytes of a message before the position of the ref. */
  static int headBytes(Encoding encoding) {
    return encoding.isBinary() ? BINARY_HEAD : JSON_HEAD;
  }

  /**
   * Writes a message of a tagged subscription.
   *
   * @param base the message in the form {@link MessageForm#tagBase}; its indices do not change
   * @param ref 0 to 2^32-1
   */
  public static void writeMessage(ByteBuf base, boolean binary, long ref, ByteBuf out) {
    write(base, binary ? BINARY_HEAD : JSON_HEAD, binary, ref, out);
  }

  /** Writes a gap of a tagged subscription from that of plain ones, whose indices do not change. */
  static void writeGap(ByteBuf plain, long ref, ByteBuf out) {
    write(plain, GAP_HEAD, false, ref, out);
  }

  private static void write(ByteBuf base, int head, boolean binary, long ref, ByteBuf out) {
    int start = base.readerIndex();
    boolean deflated = WebSocketFrame.isDeflated(base);
    int payload = start + WebSocketFrame.headerBytesOf(base);
    int rest = base.writerIndex() - payload - head;
    int tagged = head + (binary ? Integer.BYTES : JSON_REF.length + digits(ref));
    int opcode = binary ? WebSocketFrame.BINARY : WebSocketFrame.TEXT;
    int length = (deflated ? STORED_BLOCK : 0) + tagged + rest;
    WebSocketFrame.writeHeader(out, opcode, deflated, length);
    if (deflated) {
      out.writeByte(0).writeShortLE(tagged).writeShortLE(~tagged);
    }
    if (binary) {
      out.writeByte(base.getByte(payload) | HAS_REF).writeBytes(base, payload + 1, head - 1);
      out.writeInt((int) ref);
    } else {
      out.writeBytes(base, payload, head).writeBytes(JSON_REF);
      writeDecimal(ref, out);
    }
    out.writeBytes(base, payload + head, rest);
  }

  private static int digits(long value) {
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private static void writeDecimal(long value, ByteBuf out) {
    int end = out.writerIndex() + digits(value);
    long rest = value;
    for (int i = end - 1; i >= out.writerIndex(); i--) {
      out.setByte(i, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    out.writerIndex(end);
  }
}
