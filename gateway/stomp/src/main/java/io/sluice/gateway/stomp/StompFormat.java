package io.sluice.gateway.stomp;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.websocket.Utf8Check;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Format of the messages of topics: MESSAGE frames in WebSocket messages. The header {@code
 * subscription}, the first one, is inserted for each id. Stateless, for any thread.
 */
class StompFormat implements MessageFormat {
  static final String MESSAGE = "MESSAGE";

  /** Length of the id of a message of a topic. */
  static final int ID_DIGITS = 16;

  /** Headers and line ends besides the payload and the properties. */
  private static final int OVERHEAD = 320;

  private static final int HEAD = MESSAGE.length() + 1;

  final StompVersion version;
  private final SubscriptionIds ids;

  /**
   * @param version oldest version whose clients can read the format
   */
  StompFormat(StompVersion version, SubscriptionIds ids) {
    this.version = version;
    this.ids = ids;
  }

  @Override
  public ByteBuf encode(Message message, Channel channel, long offset, ByteBufAllocator allocator) {
    ByteBuf frame = allocator.directBuffer(capacity(message));
    try {
      frame.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
      write(message, false, channel, offset, frame);
      boolean isText = message.kind() != PayloadKind.BYTES || isText(message.payload());
      return WebSocketFrame.prependHeader(
          frame, isText ? WebSocketFrame.TEXT : WebSocketFrame.BINARY);
    } catch (RuntimeException e) {
      frame.release();
      throw e;
    }
  }

  static int capacity(Message message) {
    int properties = message.properties() == null ? 0 : message.properties().length;
    return WebSocketFrame.MAX_HEADER
        + OVERHEAD
        + 3 * message.topic().length()
        + 2 * properties
        + message.payload().length;
  }

  static boolean isText(byte[] bytes) {
    return Utf8Check.advance(Utf8Check.BOUNDARY, Unpooled.wrappedBuffer(bytes), 0, bytes.length)
        == Utf8Check.BOUNDARY;
  }

  /**
   * Writes the frame without the header {@code subscription}.
   *
   * @param isBase64 whether the payload was converted
   */
  final void write(Message message, boolean isBase64, Channel channel, long offset, ByteBuf out) {
    StompText text = new StompText(out, version).command(MESSAGE);
    text.header("destination", StompDestination.TOPIC + message.topic());
    text.raw("message-id", HexFormat.of().toHexDigits(message.identity()));
    text.header("timestamp", message.timeMs());
    if (message.expiresMs() != Message.NO_EXPIRY) {
      text.header("expires", message.expiresMs());
    }
    text.raw("position", PositionText.of(channel, offset, message));
    text.header("content-encoding", isBase64 ? "base64" : null);
    switch (message.kind()) {
      case JSON -> text.raw("content-type", "application/json");
      case REMOVAL -> text.raw("removed", "true");
      default -> {}
    }
    writeProperties(message.properties(), text);
    text.end(message.payload());
  }

  private static void writeProperties(byte[] json, StompText text) {
    if (json == null) {
      return;
    }
    try (JsonParser parser = JsonReader.parser(json)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String header = PropertyHeaders.header(parser.currentName());
        if (parser.nextToken() != JsonToken.VALUE_NULL && !PropertyHeaders.isReserved(header)) {
          text.header(header, parser.getText());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("properties in memory cannot be read", e);
    }
  }

  @Override
  public int tagBytes(long ref) {
    return WebSocketFrame.MAX_HEADER + headers(ref).length;
  }

  @Override
  public void writeTagged(ByteBuf encoded, long ref, ByteBuf out) {
    byte[] inserted = headers(ref);
    int start = encoded.readerIndex() + WebSocketFrame.headerBytesOf(encoded);
    int length = encoded.writerIndex() - start;
    int opcode = WebSocketFrame.isBinary(encoded) ? WebSocketFrame.BINARY : WebSocketFrame.TEXT;
    WebSocketFrame.writeHeader(out, opcode, false, length + inserted.length);
    out.writeBytes(encoded, start, head()).writeBytes(inserted);
    out.writeBytes(encoded, start + head(), length - head());
  }

  /** Returns the bytes before the first header. */
  int head() {
    return HEAD;
  }

  /** Returns the inserted bytes. */
  byte[] headers(long ref) {
    return ids.headers(ref, version);
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
