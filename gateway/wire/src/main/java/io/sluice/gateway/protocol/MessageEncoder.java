package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Encoder of messages into complete WebSocket frames: docs/PROTOCOL.md, sections 4 and 5. Bound to
 * one thread, because it owns a compressor.
 */
public final class MessageEncoder {
  private static final int TYPE_MESSAGE = 0x01;
  private static final int HAS_PROPERTIES = 0x40;
  private static final byte[] ID = ascii(",\"id\":\"");
  private static final byte[] TIME = ascii("\",\"time\":");
  private static final byte[] PROPERTIES = ascii(",\"properties\":");
  private static final byte[] PAYLOAD = ascii(",\"payload\":");
  private static final byte[] BASE64 = ascii(",\"encoding\":\"base64\"");
  private static final byte[] JSON = ascii(",\"encoding\":\"json\"");
  private static final byte[] REMOVED = ascii(",\"removed\":true,\"payload\":\"\"");
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final int JSON_OVERHEAD = 160;

  /** Smaller messages are not compressed: inflating them costs the client more than it saves. */
  private static final int MIN_DEFLATED = 128;

  /** Bytes of text that are escaped at once. */
  private static final int CHUNK = 512;

  private final ByteBufAllocator allocator;
  private final Deflation deflation;
  private final MessageFormats formats;
  private final byte[] escaped = new byte[JsonText.MAX_ESCAPED * CHUNK];
  private int plainBytes;

  /** Creates an encoder that allocates frames from {@code allocator}. */
  public MessageEncoder(ByteBufAllocator allocator, Deflation deflation) {
    this(allocator, deflation, MessageFormats.NONE);
  }

  /** Creates an encoder that also encodes messages in the formats of open protocols. */
  public MessageEncoder(ByteBufAllocator allocator, Deflation deflation, MessageFormats formats) {
    this.allocator = allocator;
    this.deflation = deflation;
    this.formats = formats;
  }

  /**
   * Returns a new buffer with the whole frame, including the WebSocket header, owned by the caller.
   *
   * @param offset full offset of the message in its topic log
   */
  public ByteBuf encode(Message message, Channel channel, long offset, Encoding encoding) {
    return encode(message, channel, offset, MessageForm.of(encoding));
  }

  /** Returns a message in any form; a tag base is not a frame that a client can read. */
  public ByteBuf encode(Message message, Channel channel, long offset, MessageForm form) {
    Encoding encoding = form.encoding();
    if (encoding.isOpen()) {
      return formats.of(encoding).encode(message, channel, offset, allocator);
    }
    ByteBuf frame = plain(message, channel, offset, encoding);
    try {
      boolean deflates =
          encoding.isDeflated() && (form.isSeed() || frame.readableBytes() >= MIN_DEFLATED);
      return deflates
          ? deflated(encoding, frame, form.isTagBase() ? FrameTag.headBytes(encoding) : 0)
          : WebSocketFrame.prependHeader(frame, opcode(encoding));
    } catch (RuntimeException e) {
      frame.release();
      throw e;
    }
  }

  /**
   * Returns a message that is compressed with the previous one of its stream as dictionary. It is
   * valid for clients whose last compressed message was the previous one, in the same encoding.
   *
   * @param previous the message with the previous offset
   * @param binary whether both are binary
   */
  public ByteBuf encodeNext(
      Message previous,
      Channel previousChannel,
      Message message,
      Channel channel,
      long offset,
      boolean binary) {
    Encoding encoding = Encoding.of(binary, true);
    ByteBuf dictionary = plain(previous, previousChannel, offset - 1, encoding);
    ByteBuf frame = null;
    try {
      frame = plain(message, channel, offset, encoding);
      return deflated(encoding, frame, 0, deflation.deflate(frame, dictionary));
    } catch (RuntimeException e) {
      if (frame != null) {
        frame.release();
      }
      throw e;
    } finally {
      dictionary.release();
    }
  }

  /**
   * Returns a compressed frame, owned by the caller.
   *
   * @param content the message in the form {@link MessageForm#content}
   */
  public ByteBuf encodeFramed(ByteBuf content, MessageForm form, int stream) {
    return CompressedFrame.of(
        content, form.encoding().isBinary(), form.isNext(), stream, allocator);
  }

  /** Returns the maximum bytes that the ref of a tagged subscription adds to a message. */
  public int tagBytes(MessageForm form, long ref) {
    Encoding encoding = form.encoding();
    return encoding.isOpen() ? formats.of(encoding).tagBytes(ref) : FrameTag.MAX_BYTES;
  }

  /**
   * Writes a message of a tagged subscription.
   *
   * @param base the message in {@code form}, a tag base; its indices do not change
   */
  public void writeTagged(ByteBuf base, MessageForm form, long ref, ByteBuf out) {
    Encoding encoding = form.encoding();
    if (encoding.isOpen()) {
      formats.of(encoding).writeTagged(base, ref, out);
    } else {
      FrameTag.writeMessage(base, encoding.isBinary(), ref, out);
    }
  }

  /** Returns the payload bytes of the latest message before its compression. */
  public int plainBytes() {
    return plainBytes;
  }

  private static int opcode(Encoding encoding) {
    return encoding.isBinary() ? WebSocketFrame.BINARY : WebSocketFrame.TEXT;
  }

  /** Returns the payload with space for a header in front. */
  private ByteBuf plain(Message message, Channel channel, long offset, Encoding encoding) {
    ByteBuf payload = allocator.directBuffer(capacity(message, channel, encoding));
    try {
      payload.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
      if (encoding.isBinary()) {
        writeBinary(message, channel, offset, payload);
      } else {
        writeJson(message, channel, offset, payload);
      }
      plainBytes = payload.readableBytes();
      return payload;
    } catch (RuntimeException e) {
      payload.release();
      throw e;
    }
  }

  /**
   * @param headBytes bytes at the start that are not compressed
   */
  private ByteBuf deflated(Encoding encoding, ByteBuf plain, int headBytes) {
    int start = plain.readerIndex();
    ByteBuf payload = deflation.deflate(plain.readerIndex(start + headBytes));
    return deflated(encoding, plain.readerIndex(start), headBytes, payload);
  }

  private ByteBuf deflated(Encoding encoding, ByteBuf plain, int headBytes, ByteBuf payload) {
    int start = plain.readerIndex();
    int length = headBytes + payload.readableBytes();
    ByteBuf frame = allocator.directBuffer(WebSocketFrame.headerBytes(length) + length);
    WebSocketFrame.writeHeader(frame, opcode(encoding), true, length);
    frame.writeBytes(plain, start, headBytes);
    frame.writeBytes(payload, payload.readerIndex(), length - headBytes);
    plain.release();
    return frame;
  }

  private static int capacity(Message message, Channel channel, Encoding encoding) {
    int properties = message.properties() == null ? 0 : message.properties().length;
    int payload = message.payload().length;
    if (encoding.isBinary()) {
      return WebSocketFrame.MAX_HEADER + FrameTag.BINARY_HEAD + 2 + properties + payload;
    }
    int escaped = message.kind() == PayloadKind.BYTES ? payload / 3 * 4 + 4 : payload + payload / 8;
    return JSON_OVERHEAD + channel.jsonPrefix().length + properties + escaped;
  }

  private static void writeBinary(Message message, Channel channel, long offset, ByteBuf out) {
    byte[] properties = message.properties();
    int type = TYPE_MESSAGE | message.kind().ordinal() << 4;
    out.writeByte(properties == null ? type : type | HAS_PROPERTIES);
    out.writeMedium(channel.number());
    out.writeInt((int) offset);
    out.writeLong(message.identity());
    out.writeInt((int) message.timeMs());
    if (properties != null) {
      out.writeShort(properties.length).writeBytes(properties);
    }
    out.writeBytes(message.payload());
  }

  private void writeJson(Message message, Channel channel, long offset, ByteBuf out) {
    out.writeBytes(channel.jsonPrefix());
    writeDecimal(offset, out);
    out.writeBytes(ID);
    writeHex(message.identity(), out);
    out.writeBytes(TIME);
    writeDecimal(message.timeMs(), out);
    if (message.properties() != null) {
      out.writeBytes(PROPERTIES).writeBytes(message.properties());
    }
    byte[] payload = message.payload();
    switch (message.kind()) {
      case TEXT -> {
        out.writeBytes(PAYLOAD);
        writeString(payload, out);
      }
      case BYTES -> {
        out.writeBytes(BASE64).writeBytes(PAYLOAD).writeByte('"');
        out.writeBytes(Base64.getEncoder().encode(payload)).writeByte('"');
      }
      case JSON -> out.writeBytes(JSON).writeBytes(PAYLOAD).writeBytes(payload);
      case REMOVAL -> out.writeBytes(REMOVED);
    }
    out.writeByte('}');
  }

  private static void writeDecimal(long value, ByteBuf out) {
    out.writeCharSequence(Long.toString(value), StandardCharsets.US_ASCII);
  }

  private static void writeHex(long value, ByteBuf out) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      out.writeByte(HEX[(int) (value >>> shift) & 15]);
    }
  }

  private void writeString(byte[] utf8, ByteBuf out) {
    out.writeByte('"');
    for (int from = 0; from < utf8.length; from += CHUNK) {
      int to = Math.min(utf8.length, from + CHUNK);
      // Into an array first: bounds checks of the buffer cost more than the copy.
      out.writeBytes(escaped, 0, JsonText.escape(utf8, from, to, escaped));
    }
    out.writeByte('"');
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
